// Converts four floats to the bytes of a word. Negative floats become zero.
#include <cstdint>

extern "C" __global__ void packs_positive(const float* from, uint32_t* to) {
  const float* const x = from + 4 * threadIdx.x;
  int r[4];
  for (int i = 0; i < 4; ++i) r[i] = __float2int_rn(fmaxf(x[i], 0.0f));
  uint32_t upper, word;
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;" : "=r"(upper) : "r"(r[3]), "r"(r[2]));
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(r[1]), "r"(r[0]), "r"(upper));
  to[threadIdx.x] = word;
}
