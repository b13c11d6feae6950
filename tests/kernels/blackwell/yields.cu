// Lanes that yield inside a region at whose end the compiler needs all lanes on one path.
#include <cstdint>

// Lane 0 of warp 0 waits for a flag of warp 1. Then it works alone. `out`: the lanes that continue together afterwards.
extern "C" __global__ void yields_in_region(volatile uint32_t* flag, const uint32_t* in, uint32_t* out) {
  const uint32_t lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    *flag = 1;
    return;
  }
  if (in[lane] != 0) {
    if (lane == 0)
      while (*flag == 0) {
      }
    __syncwarp();
    if (lane == 0) {
      uint32_t sum = 0;
#pragma unroll 1
      for (uint32_t i = 0; i < in[0]; ++i) sum += in[i + 32];
      out[32] = sum;
    }
  }
  out[lane] = __activemask();
}

// Like yields_in_region, with two instructions in the region. The test replaces them by BMOV, which copies the region's
// barrier to a register and back.
extern "C" __global__ void yields_in_saved_region(volatile uint32_t* flag, const uint32_t* in, uint32_t* out) {
  const uint32_t lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    *flag = 1;
    return;
  }
  if (in[lane] != 0) {
    asm volatile("pmevent 1; pmevent 2;");
    if (lane == 0)
      while (*flag == 0) {
      }
    __syncwarp();
    if (lane == 0) {
      uint32_t sum = 0;
#pragma unroll 1
      for (uint32_t i = 0; i < in[0]; ++i) sum += in[i + 32];
      out[32] = sum;
    }
  }
  out[lane] = __activemask();
}
