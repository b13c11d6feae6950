// A pack is a vector register with several lanes. Arithmetic, comparisons and the operator ?: work on packs as on
// numbers. Use packs for code that compilers do not vectorise. Without AVX2, a pack has one lane.
#pragma once

#include <bit>
#include <cstring>

#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

#if defined(__AVX2__) && defined(__FMA__)
using pack = u32 __attribute__((vector_size(32)));
using signed_pack = i32 __attribute__((vector_size(32)));
using float_pack = float __attribute__((vector_size(32)));
using double_pack = double __attribute__((vector_size(32)));  // half as many lanes, because the lanes are twice as wide
using wide_pack = u64 __attribute__((vector_size(32)));
inline constexpr int pack_lanes = 8, wide_pack_lanes = 4;
static inline float_pack fused(float_pack x, float_pack y, float_pack z) { return _mm256_fmadd_ps(x, y, z); }
static inline double_pack fused(double_pack x, double_pack y, double_pack z) { return _mm256_fmadd_pd(x, y, z); }
// Returns a bit for each lane of `condition`. Each lane of `condition` is all ones or zero.
static inline u32 bits_of(signed_pack condition) {
  return static_cast<u32>(_mm256_movemask_ps(std::bit_cast<__m256>(condition)));
}
// join_pack joins two words of each lane to 64 bits. split_pack splits them.
static inline wide_pack join_pack(const u32* low, const u32* high) {
  const auto load = [](const u32* p) {
    return std::bit_cast<wide_pack>(_mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  };
  return load(low) | load(high) << 32;
}
static inline void split_pack(wide_pack x, u32* low, u32* high) {
  const __m256i words =
      _mm256_permutevar8x32_epi32(std::bit_cast<__m256i>(x), _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(low), _mm256_castsi256_si128(words));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(high), _mm256_extracti128_si256(words, 1));
}
#else
using pack = u32;
using signed_pack = i32;
using float_pack = float;
using double_pack = double;
using wide_pack = u64;
inline constexpr int pack_lanes = 1, wide_pack_lanes = 1;
static inline u32 bits_of(bool condition) { return condition ? 1 : 0; }
static inline wide_pack join_pack(const u32* low, const u32* high) { return join(*low, *high); }
static inline void split_pack(wide_pack x, u32* low, u32* high) {
  *low = static_cast<u32>(x);
  *high = static_cast<u32>(x >> 32);
}
#endif
static inline float fused(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline double fused(double x, double y, double z) { return __builtin_fma(x, y, z); }

static inline pack load_pack(const u32* p) {
  pack x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
static inline void store_pack(u32* p, pack x) { std::memcpy(p, &x, sizeof x); }

template <class F>
static inline void map3_packs(u32* d, const u32* a, const u32* b, const u32* c, u32 mask, F f) {
  alignas(32) u32 r[32];
  u32* to = mask == all_lanes ? d : r;
  BANKWISE_LANES
  for (int i = 0; i < 32; i += pack_lanes) store_pack(to + i, f(load_pack(a + i), load_pack(b + i), load_pack(c + i)));
  if (mask != all_lanes) store(d, r, mask);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
