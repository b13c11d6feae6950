// Loads and stores of 256 bits in global memory, for sm_100 and later GPUs.
#include <cstdint>

#define WORDS "{%0, %1, %2, %3, %4, %5, %6, %7}"
#define RESULTS "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
#define VALUES "r"(r[7]), "r"(r[6]), "r"(r[5]), "r"(r[4]), "r"(r[3]), "r"(r[2]), "r"(r[1]), "r"(r[0])

// Thread t reverses the words of piece t + 3, and stores them as piece t of `to`.
extern "C" __global__ void reverses(const uint32_t* from, uint32_t* to) {
  uint32_t r[8];
  asm volatile("ld.global.v8.b32 " WORDS ", [%8 + 96];" : RESULTS : "l"(from + 8 * threadIdx.x));
  asm volatile("st.global.v8.b32 [%8 + -64], " WORDS ";" ::VALUES, "l"(to + 8 * threadIdx.x + 16) : "memory");
}

// The compiler gives no registers to words 1, 4 and 7.
extern "C" __global__ void keeps_some(const uint32_t* from, uint32_t* to) {
  uint32_t r[8];
  asm volatile("ld.global.nc.v8.b32 " WORDS ", [%8];" : RESULTS : "l"(from + 8 * threadIdx.x));
  uint32_t* const own = to + 5 * threadIdx.x;
  own[0] = r[0], own[1] = r[2], own[2] = r[3], own[3] = r[5], own[4] = r[6];
}

// Only the last four words are used.
extern "C" __global__ void keeps_upper(const uint32_t* from, uint32_t* to) {
  uint32_t r[8];
  asm volatile("ld.global.v8.b32 " WORDS ", [%8];" : RESULTS : "l"(from + 8 * threadIdx.x));
  for (unsigned i = 0; i < 4; ++i) to[4 * threadIdx.x + i] = r[4 + i];
}

extern "C" __global__ void adds_doubles(const double4_32a* from, double4_32a* to, uint32_t threads) {
  if (threadIdx.x >= threads) return;
  double4_32a x = from[threadIdx.x];
  x.x += 1, x.y += 2, x.z += 3, x.w += 4;
  to[threadIdx.x] = x;
}

extern "C" __global__ void misses(uint32_t* to, uint32_t by) {
  const uint32_t r[8] = {};
  asm volatile("st.global.v8.b32 [%8], " WORDS ";" ::VALUES, "l"(reinterpret_cast<char*>(to) + by) : "memory");
}
