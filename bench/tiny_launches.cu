// Kernels that do almost nothing, with few and many blocks: what a launch and the start of blocks cost.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
struct values {
  int x[64];
};
__global__ void empty() {}
__global__ void one_store(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void load_store(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}
__global__ void parameters(const __grid_constant__ values v, int* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = v.x[threadIdx.x & 63] + v.x[blockIdx.x & 63];
}
__global__ void shared_turn(const int* in, int* out) {
  __shared__ int s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void chain(const int* in, int* out, int n) {
  int at = 0;
  for (int i = 0; i < n; ++i) at = in[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void count_up(int* out, int n) {
  int x = threadIdx.x;
  for (int i = 0; i < n; ++i) x = x * 3 + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
int main(int argc, char** argv) {
  int only = argc > 1 ? atoi(argv[1]) : -1, number = 0;
  int *in, *out;
  cudaMalloc(&in, 64 << 20);
  cudaMalloc(&out, 64 << 20);
  cudaMemset(in, 0, 64 << 20);
  auto run = [&](const char* name, int blocks, int threads, auto&& f) {
    if (only < 0 || only == number) {
      printf("%d,%s blocks=%d threads=%d\n", number, name, blocks, threads);
      f(blocks, threads);
    }
    ++number;
  };
  int sizes[][2] = {{1, 32},    {1, 1024},   {8, 128},   {66, 256},   {132, 32},
                    {132, 256}, {132, 1024}, {264, 256}, {1056, 256}, {4224, 128}};
  for (auto& s : sizes) run("empty", s[0], s[1], [](int b, int t) { empty<<<b, t>>>(); });
  for (auto& s : sizes) run("one_store", s[0], s[1], [&](int b, int t) { one_store<<<b, t>>>(out); });
  for (auto& s : sizes) run("load_store", s[0], s[1], [&](int b, int t) { load_store<<<b, t>>>(in, out); });
  for (auto& s : sizes) run("parameters", s[0], s[1], [&](int b, int t) { parameters<<<b, t>>>(values{}, out); });
  for (auto& s : sizes) run("shared_turn", s[0], s[1], [&](int b, int t) { shared_turn<<<b, t>>>(in, out); });
  for (int n : {1, 2, 4, 8}) run("chain", 1, 32, [&](int b, int t) { chain<<<b, t>>>(in, out, n); });
  for (int n : {10, 100, 300}) run("count_up", 132, 128, [&](int b, int t) { count_up<<<b, t>>>(out, n); });
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
