// A program of three parts. If a host compiler compiles this file, the part in this file has no kernels.
extern "C" int first();
extern "C" int second();

#ifdef __CUDACC__
#include <cstdio>
__global__ void own(int* p) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 7;
  __syncthreads();
  *p = tile[31];
}
static int run_own() {
  int host = 0, *device = nullptr;
  cudaMalloc(&device, sizeof host);
  own<<<1, 32>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("own: %d\n", host);
  return host != 7;
}
#else
static int run_own() { return 0; }
#endif

int main() { return run_own() + first() + second(); }
