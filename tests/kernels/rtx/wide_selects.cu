// Selects between two 64-bit numbers that are equal in all lanes. The last selection becomes USEL.64.
#include <cstdint>

extern "C" __global__ void selects(uint64_t a, uint64_t b, uint32_t n, uint64_t* out) {
  uint64_t at = a * blockIdx.x;
  at = n == blockIdx.x ? at : b + 1;
  at = n + 1 == blockIdx.y ? at : 0x123;
  out[at + threadIdx.x] = 1;
}
