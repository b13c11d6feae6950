// A program to record on a GPU (scripts/check-record). Its argument selects how it ends, and what else it does.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <unistd.h>

#include <cuda.h>

__global__ void column(float* out, int rows) {
  __shared__ float tile[32][32];
  for (int i = 0; i < rows; ++i) tile[i][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.x / 32];
}
__global__ void row(float* out) {
  __shared__ float line[32];
  line[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = line[31 - threadIdx.x];
}
__global__ void faulting(float* out) {
  __shared__ float line[32];
  line[threadIdx.x] = threadIdx.x;
  out[std::size_t{1} << 40] = line[threadIdx.x];
}
__device__ __noinline__ float called(volatile float* line, int i) { return line[i * 2 % 64]; }
__global__ void calling(float* out) {
  __shared__ float line[64];
  line[threadIdx.x] = threadIdx.x;
  line[threadIdx.x + 32] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = called(line, threadIdx.x);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* word) { return std::strcmp(how, word) == 0; };
  float* out = nullptr;
  cudaMalloc(&out, 4096);
  column<<<1, 32>>>(out, 32);
  calling<<<1, 32>>>(out);
  for (int i = 0; i < 10; ++i) row<<<1, 32>>>(out);
  if (is("range")) {
    nvtxRangePushA("other");
    column<<<2, 32>>>(out, 32);
    nvtxRangePushA("wanted");
    column<<<3, 32>>>(out, 32);
    nvtxRangePop();
    column<<<4, 32>>>(out, 32);
    nvtxRangePop();
  }
  if (is("contexts")) {  // a second context on the same device; the program never destroys it
    CUcontext first = nullptr, second = nullptr;
    cuCtxGetCurrent(&first);
#if CUDA_VERSION >= 13000
    cuCtxCreate(&second, nullptr, 0, 0);
#else
    cuCtxCreate(&second, 0, 0);
#endif
    float* there = nullptr;
    cudaMalloc(&there, 4096);
    column<<<5, 32>>>(there, 16);
    std::printf("second %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cuCtxSetCurrent(first);
  }
  if (is("fault")) {
    faulting<<<1, 32>>>(out);
    row<<<2, 32>>>(out);
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::fflush(stdout);
  if (is("abort")) std::abort();
  if (is("segv")) *static_cast<volatile int*>(nullptr) = 1;
  if (is("kill")) kill(getpid(), 9);
  if (is("_exit")) _exit(5);
  if (is("fault")) return 4;
  return is("seven") ? 7 : 0;
}
