// Kernels that launch kernels, linked with libcudadevrt (-rdc=true).
#include <cstdio>

__device__ unsigned steps;
__managed__ unsigned when[4];
__managed__ int error;

// Stores the number of the step in which this kernel ran.
__global__ void note(unsigned i) { when[i] = atomicAdd(&steps, 1); }

// The child kernels run after the parent, in the order of their launches. The tail launch runs last.
__global__ void parent() {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
  note<<<1, 1>>>(1);
  cudaStream_t own;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  note<<<1, 1, 0, own>>>(2);
  cudaStreamDestroy(own);
  when[0] = atomicAdd(&steps, 1);
}

// Launches more threads than a block can have.
__global__ void too_large() {
  note<<<1, 2048>>>(0);
  error = cudaGetLastError() != cudaSuccess;
}

int main() {
  parent<<<1, 1>>>();
  printf("%s:", cudaGetErrorName(cudaDeviceSynchronize()));
  for (unsigned w : when) printf(" %u", w);
  too_large<<<1, 1>>>();
  printf("\n%s: %s\n", cudaGetErrorName(cudaDeviceSynchronize()), error ? "refused" : "taken");
  return 0;
}
