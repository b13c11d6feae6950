// Stores the number of the multiprocessor that each block runs on.
#include <cstdint>

extern "C" __global__ void stores_number(uint32_t* to) {
  uint32_t number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  if (threadIdx.x == 0) to[blockIdx.x] = number;
}
