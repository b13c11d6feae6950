// Checks the device properties that a program sees, and runs a kernel.
#include <cstdio>

__global__ void architecture(int* out) {
#ifdef __CUDA_ARCH__
  *out = __CUDA_ARCH__;
#endif
}

int main() {
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return 1;
  int *out, code = 0, blocks = 0;
  cudaMalloc(&out, sizeof *out);
  architecture<<<1, 1>>>(out);
  cudaMemcpy(&code, out, sizeof code, cudaMemcpyDeviceToHost);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, architecture, 256, 0);
  std::printf("%s: %d.%d, code %d, %3d multiprocessors of %zu KiB and %d threads, %zu KiB a block, %d blocks of 256\n", p.name,
              p.major, p.minor, code, p.multiProcessorCount, p.sharedMemPerMultiprocessor / 1024,
              p.maxThreadsPerMultiProcessor, p.sharedMemPerBlockOptin / 1024, blocks);
  return cudaGetLastError() == cudaSuccess && code == p.major * 100 + p.minor * 10 ? 0 : 1;
}
