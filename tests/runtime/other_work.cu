// Launches of one shape that do different work: other trip counts as an argument or in memory, other strides, and equal
// counts of accesses with other instructions.
#include <cstdio>
#include <cstring>

__global__ void spin(float* out, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 1.01f + 0.5f;
  out[threadIdx.x] = x;
}
__global__ void spin_by_data(float* out, const int* rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < *rounds; ++i) x = x * 1.01f + 0.5f;
  out[threadIdx.x] = x;
}
__global__ void walk(float* out, int stride) {
  __shared__ float tile[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = i;
  __syncthreads();
  float x = 0;
  for (int i = 0; i < 500; ++i) x += tile[(threadIdx.x * stride + i) % 1024];
  out[threadIdx.x] = x;
}

int main(int, char** arguments) {
  float* out;
  int* rounds;
  cudaMalloc(&out, 4096);
  cudaMalloc(&rounds, sizeof *rounds);
  for (const int n : {100, 10000, 100}) {
    if (std::strcmp(arguments[1], "argument") == 0) spin<<<1, 32>>>(out, n);
    if (std::strcmp(arguments[1], "stride") == 0) walk<<<1, 256>>>(out, n == 100 ? 1 : 32);
    if (std::strcmp(arguments[1], "data") != 0) continue;
    cudaMemcpy(rounds, &n, sizeof n, cudaMemcpyHostToDevice);
    spin_by_data<<<1, 32>>>(out, rounds);
  }
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
