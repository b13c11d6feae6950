// Launches three kernels and ends with _exit, or with quick_exit if it has an argument.
#include <cstdlib>
#include <unistd.h>

__global__ void store(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = s[31 - threadIdx.x];
}

int main(int argc, char**) {
  int* out;
  cudaMalloc(&out, 128);
  for (int i = 0; i < 3; ++i) store<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  if (argc > 1) std::quick_exit(0);
  _exit(0);
}
