// A program that launches kernels again and again, in one of many ways: repeated_launches WAY TIMES. It prints the
// results after each launch. The shared memory of most kernels is accessed at places that depend on data, so that
// bankwise has to execute the kernels for their counts.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
namespace cg = cooperative_groups;
__constant__ int factor = 3;
__device__ int total;
__device__ int table[256];
__global__ void histogram(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned bins[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] % 64], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) out[blockIdx.x * 64 + i] = bins[i] * factor;
}
__global__ void add_in(unsigned* out, const unsigned* in, int n) {  // shared accesses depend on data
  __shared__ unsigned s[64];
  if (threadIdx.x < 64) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += s[in[i] % 64];
}
__global__ void take_out(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned s[64];
  if (threadIdx.x < 64) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] -= s[in[i] % 64];
}
__global__ void count(unsigned* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int any[32];
  any[in[i % n] % 32] = 1;
  if (i < n && in[i] % 2) atomicAdd(&total, 1);
}
__global__ void say(const unsigned* in) {
  __shared__ int s[32];
  s[in[0] % 32] = 1;
  if (threadIdx.x == 0) printf("in %u %d\n", in[0], s[in[0] % 32]);
}
__global__ void heap(unsigned* out, const unsigned* in) {
  __shared__ int s[32];
  s[in[threadIdx.x] % 32] = 5;
  int* p = (int*)malloc(16);
  *p = s[in[threadIdx.x] % 32];
  out[threadIdx.x] = *p;
  free(p);
}
__global__ void converge(float* x, int* changed, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = x[i];
  __syncthreads();
  float y = floorf(s[(threadIdx.x + (int)x[i]) % 256] * 0.5f);
  if (y != x[i]) *changed = 1;
  x[i] = y;
}
__global__ void grid_sum(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned s[32];
  s[in[threadIdx.x] % 32] = 1;
  cg::grid_group g = cg::this_grid();
  out[g.thread_rank()] = in[g.thread_rank()] + s[0] * 0;
  g.sync();
  unsigned a = out[(g.thread_rank() + 7) % g.size()];
  g.sync();
  out[g.thread_rank()] = a;
}
__global__ void clocks(unsigned* out, const unsigned* in) {
  __shared__ unsigned s[32];
  long long t = clock64();
  s[in[threadIdx.x] % 32] = 1;
  out[threadIdx.x] = (unsigned)(clock64() - t) + s[1] * 0;
  if (threadIdx.x == 0) out[32]++;
}
__global__ void lookup(unsigned* out, const unsigned* in) {
  __shared__ unsigned s[32];
  s[in[threadIdx.x] % 32] = table[in[threadIdx.x] % 256];
  out[threadIdx.x] = s[threadIdx.x % 32] + table[threadIdx.x];
}
__global__ void unordered(unsigned* out) {  // without a barrier
  __shared__ unsigned s[64];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[63 - threadIdx.x];
}
unsigned sum(const unsigned* device, int n) {
  std::vector<unsigned> h(n);
  cudaMemcpy(h.data(), device, n * 4, cudaMemcpyDeviceToHost);
  unsigned a = 0;
  for (int i = 0; i < n; ++i) a = a * 31 + h[i];
  return a;
}
int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* what = argv[1];
  const int reps = atoi(argv[2]);
  int n = 8192;
  auto is = [&](const char* w) { return !strcmp(what, w); };
  std::vector<unsigned> h(n), h2(n);
  for (int i = 0; i < n; ++i) h[i] = i * 2654435761u >> 7, h2[i] = i * 40503u >> 3;
  unsigned *in, *out, *other;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, n * 4);
  cudaMalloc(&other, n * 4);
  cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, n * 4);
  cudaMemset(other, 0, n * 4);
  const int hb = n / 256;
  cudaStream_t st;
  cudaStreamCreate(&st);
  cudaGraph_t g;
  cudaGraphExec_t ge = 0;
  unsigned* both = 0;
  cudaMallocManaged(&both, n * 4);
  memcpy(both, h.data(), n * 4);
  unsigned* pinned = 0;
  cudaMallocHost(&pinned, n * 4);
  memcpy(pinned, h.data(), n * 4);
  float* x = (float*)other;
  int* changed;
  cudaMalloc(&changed, 4);
  for (int r = 0; r < reps; ++r) {
    unsigned result = 0;
    if (is("same")) histogram<<<hb, 256>>>(out, in, n);
    if (is("memset")) {
      cudaMemset(out, r, n * 4);
      histogram<<<hb, 256>>>(out, in, n);
    }
    if (is("reset")) {
      cudaMemset(out, 0, n * 4);
      add_in<<<n / 256, 256>>>(out, in, n);
    }
    if (is("copy")) {
      cudaMemcpy(in, (r % 3 ? h : h2).data(), n * 4, cudaMemcpyHostToDevice);
      histogram<<<hb, 256>>>(out, in, n);
    }
    if (is("d2d")) {
      cudaMemcpy(other, in, n * 4, cudaMemcpyDeviceToDevice);
      add_in<<<n / 256, 256>>>(other, in, n);
      cudaMemcpy(out, other, n * 4, cudaMemcpyDeviceToDevice);
    }
    if (is("iterate")) add_in<<<n / 256, 256>>>(out, in, n);
    if (is("pingpong")) {
      add_in<<<n / 256, 256>>>(out, in, n);
      take_out<<<n / 256, 256>>>(out, in, n);
      if (r % 4 == 3) add_in<<<n / 256, 256>>>(out, in, n);
    }
    if (is("chain")) {
      add_in<<<n / 256, 256>>>(out, in, n);
      add_in<<<n / 256, 256>>>(in, out, n);
    }
    if (is("count")) {
      count<<<n / 256, 256>>>(in, n);
      int t;
      cudaMemcpyFromSymbol(&t, total, 4);
      result = t;
    }
    if (is("print")) {
      say<<<1, 32>>>(in);
      cudaDeviceSynchronize();
    }
    if (is("races")) unordered<<<1, 64>>>(out);
    if (is("heap")) heap<<<1, 32>>>(out, in);
    if (is("managed")) {
      if (r % 3 == 2) both[r] += 1;
      histogram<<<hb, 256>>>(out, both, n);
    }
    if (is("managed_out")) {
      histogram<<<hb, 256>>>(both, in, n);
      cudaDeviceSynchronize();
      result = both[5];
      if (r == 4) both[5] = 77;
    }
    if (is("pinned")) {
      if (r % 3 == 2) pinned[r] += 1;
      histogram<<<hb, 256>>>(out, pinned, n);
    }
    if (is("symbol")) {
      int f = r / 3;
      cudaMemcpyToSymbol(factor, &f, 4);
      histogram<<<hb, 256>>>(out, in, n);
    }
    if (is("table")) {
      int f = r / 3;
      cudaMemcpyToSymbol(table, &f, 4, 4 * (r / 4));
      lookup<<<1, 256>>>(out, in);
    }
    if (is("converge")) {
      int z = 0;
      if (r == 0) {
        std::vector<float> f(n);
        for (int i = 0; i < n; ++i) f[i] = h[i] % 50;
        cudaMemcpy(x, f.data(), n * 4, cudaMemcpyHostToDevice);
      }
      cudaMemcpy(changed, &z, 4, cudaMemcpyHostToDevice);
      converge<<<n / 256, 256>>>(x, changed, n);
      cudaMemcpy(&z, changed, 4, cudaMemcpyDeviceToHost);
      result = z * 1000 + sum(other, n) % 1000;
    }
    if (is("grid")) {
      void* a[] = {&out, &in, &n};
      cudaLaunchCooperativeKernel((void*)grid_sum, 4, 256, a, 0, 0);
    }
    if (is("clock")) clocks<<<1, 32>>>(out, in);
    if (is("free")) {
      unsigned* t;
      cudaMalloc(&t, n * 4);
      cudaMemcpy(t, in, n * 4, cudaMemcpyDeviceToDevice);
      histogram<<<hb, 256>>>(out, t, n);
      cudaFree(t);
    }
    if (is("graph")) {
      if (!ge) {
        cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal);
        cudaMemsetAsync(out, 0, n * 4, st);
        add_in<<<n / 256, 256, 0, st>>>(out, in, n);
        histogram<<<hb, 256, 0, st>>>(other, out, n);
        cudaStreamEndCapture(st, &g);
        cudaGraphInstantiate(&ge, g, 0);
      }
      cudaGraphLaunch(ge, st);
      cudaStreamSynchronize(st);
      result = sum(other, n);
    }
    if (is("bad")) {
      histogram<<<hb, 256>>>(out, in, r == 6 ? 4 * n + (1 << 24) : n);
    }
    printf("%d: %u %u %s\n", r, result, sum(out, n), cudaGetErrorString(cudaGetLastError()));
  }
  printf("end %u %u %s\n", sum(out, n), sum(in, n), cudaGetErrorString(cudaGetLastError()));
}
