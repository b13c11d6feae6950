// Kernels that do not end by themselves. The test limits their output and their heap memory separately.
#include <cstdio>
#include <cstdlib>

__global__ void prints_for_ever(const volatile int* stop) {
  do printf("thread %d of block %d goes on and on and on and on and on and on and on and on and on\n", threadIdx.x, blockIdx.x);
  while (*stop == 0);
}

__global__ void allocates_for_ever(const volatile int* stop, int* pieces) {
  do
    if (malloc(1024) != nullptr) atomicAdd(pieces, 1);
  while (*stop == 0);
}
