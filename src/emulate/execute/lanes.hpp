// Loops over the 32 lanes of a warp. This code is compiled once for every instruction set (BANKWISE_ISA), each time in
// its own namespace.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulate/block/cluster.hpp"
#include "emulate/block/externals.hpp"
#include "emulate/block/paths.hpp"
#include "emulate/block/worker.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if !defined(BANKWISE_ISA)
#define BANKWISE_ISA baseline
#endif

namespace bankwise::emulate::BANKWISE_ISA {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr u32 all_lanes = 0xffffffffu;
alignas(64) inline constexpr u32 lane_bit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

// Two rows are identical or do not overlap, so a loop may read all lanes before it writes the first lane. gcc needs
// this hint to vectorise the loop. clang does not need it, because it checks for overlaps at run time.
#if defined(__clang__)
#define BANKWISE_LANES
#else
#define BANKWISE_LANES _Pragma("GCC ivdep")
#endif

static inline void store(u32* d, const u32* value, u32 mask) {
  if (mask == all_lanes) {
    for (int i = 0; i < 32; ++i) d[i] = value[i];
  } else {
    for (int i = 0; i < 32; ++i) d[i] = (mask & lane_bit[i]) != 0 ? value[i] : d[i];
  }
}

template <class F>
static inline void map1(u32* d, const u32* a, u32 mask, F f) {
  if (mask == all_lanes) {
    BANKWISE_LANES
    for (int i = 0; i < 32; ++i) d[i] = f(a[i]);
  } else {
    alignas(32) u32 r[32];
    for (int i = 0; i < 32; ++i) r[i] = f(a[i]);
    store(d, r, mask);
  }
}
template <class F>
static inline void map2(u32* d, const u32* a, const u32* b, u32 mask, F f) {
  if (mask == all_lanes) {
    BANKWISE_LANES
    for (int i = 0; i < 32; ++i) d[i] = f(a[i], b[i]);
  } else {
    alignas(32) u32 r[32];
    for (int i = 0; i < 32; ++i) r[i] = f(a[i], b[i]);
    store(d, r, mask);
  }
}
template <class F>
static inline void map3(u32* d, const u32* a, const u32* b, const u32* c, u32 mask, F f) {
  if (mask == all_lanes) {
    BANKWISE_LANES
    for (int i = 0; i < 32; ++i) d[i] = f(a[i], b[i], c[i]);
  } else {
    alignas(32) u32 r[32];
    for (int i = 0; i < 32; ++i) r[i] = f(a[i], b[i], c[i]);
    store(d, r, mask);
  }
}

static inline u32 to_mask(const u32* condition) {
  u32 mask = 0;
#if defined(__AVX__)
  for (int i = 0; i < 32; i += 8) {
    const __m256 eight = _mm256_castsi256_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(condition + i)));
    mask |= static_cast<u32>(_mm256_movemask_ps(eight)) << i;
  }
#elif defined(__SSE2__)
  for (int i = 0; i < 32; i += 4) {
    const __m128 four = _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(condition + i)));
    mask |= static_cast<u32>(_mm_movemask_ps(four)) << i;
  }
#else
  for (int i = 0; i < 32; ++i) mask |= (condition[i] >> 31) << i;
#endif
  return mask;
}
template <class F>
static inline u32 where2(const u32* a, const u32* b, F f) {
  alignas(32) u32 r[32];
  for (int i = 0; i < 32; ++i) r[i] = f(a[i], b[i]) ? ~0u : 0u;
  return to_mask(r);
}

// Combines the result of a comparison with the instruction's predicate operand.
static inline u32 combine(u32 result, u32 predicate, sass::logic how) {
  switch (how) {
    case sass::logic::conjunction: return result & predicate;
    case sass::logic::disjunction: return result | predicate;
    default: return result ^ predicate;
  }
}

static inline u64 join(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; }

// Calls f(lane) for the lanes of a mask, in increasing order.
template <class F>
static inline void each_lane(u32 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

// Returns a bitwise function of a, b and c. Bit 4a + 2b + c of `lut` is the result for the bits a, b and c.
static inline u32 lop3_of(u32 lut, u32 a, u32 b, u32 c) {
  u32 r = 0;
  if ((lut & 0x01) != 0) r |= ~a & ~b & ~c;
  if ((lut & 0x02) != 0) r |= ~a & ~b & c;
  if ((lut & 0x04) != 0) r |= ~a & b & ~c;
  if ((lut & 0x08) != 0) r |= ~a & b & c;
  if ((lut & 0x10) != 0) r |= a & ~b & ~c;
  if ((lut & 0x20) != 0) r |= a & ~b & c;
  if ((lut & 0x40) != 0) r |= a & b & ~c;
  if ((lut & 0x80) != 0) r |= a & b & c;
  return r;
}

// In double precision, a NaN operand becomes the result. Its quiet bit is set, and its sign is kept. An invalid
// operation returns default_nan_64.
inline constexpr u64 quiet_bit_64 = u64{1} << 51;
inline constexpr u64 default_nan_64 = u64{0xfff80000} << 32;
static inline bool is_nan_64(u64 x) { return (x & ~(u64{1} << 63)) > u64{0x7ff} << 52; }
// Returns the result for operands that may be NaN: the first NaN, or default_nan_64.
static inline u64 nan_of(u64 first, u64 second, u64 third = 0) {
  return is_nan_64(first)    ? first | quiet_bit_64
         : is_nan_64(second) ? second | quiet_bit_64
         : is_nan_64(third)  ? third | quiet_bit_64
                             : default_nan_64;
}

// Selects bytes from the eight bytes of {c, a}, as PRMT does.
static inline u32 permute(u32 a, u32 selector, u32 c, sass::permute_mode mode) {
  const u64 bytes = join(a, c);
  const unsigned s = selector & 3;
  const auto byte = [&](unsigned n) { return static_cast<u32>(bytes >> (8 * (n & 7)) & 0xff); };
  u32 r = 0;
  for (unsigned i = 0; i < 4; ++i) {
    u32 v = 0;
    using sass::permute_mode;
    switch (mode) {
      case permute_mode::by_selector: {
        const u32 n = selector >> (4 * i) & 0xf;
        v = byte(n & 7);
        if ((n & 8) != 0) v = (v & 0x80) != 0 ? 0xff : 0;
        break;
      }
      case permute_mode::forward: v = byte(s + i); break;
      case permute_mode::backward: v = byte(s - i); break;
      case permute_mode::replicate_byte: v = byte(s); break;
      case permute_mode::clamp_left: v = byte(std::max(i, s)); break;
      case permute_mode::clamp_right: v = byte(std::min(i, s)); break;
      case permute_mode::replicate_half: v = byte((s & 1) * 2 + (i & 1)); break;
    }
    r |= v << (8 * i);
  }
  return r;
}

void add_integer(handler_table& t);
void add_bits(handler_table& t);
void add_packed_integer(handler_table& t);
void add_float(handler_table& t);
void add_double(handler_table& t);
void add_half(handler_table& t);
void add_convert(handler_table& t);
void add_predicate(handler_table& t);
void add_uniform(handler_table& t);
void add_memory(handler_table& t);
void add_atomics(handler_table& t);
void add_shared_matrices(handler_table& t);
void add_constants(handler_table& t);
void add_control(handler_table& t);
void add_matrix(handler_table& t);
void add_scaled_products(handler_table& t);
void add_mbarrier(handler_table& t);
void add_cluster(handler_table& t);
void add_tensor_copy(handler_table& t);
void add_warp_group(handler_table& t);
void add_work_requests(handler_table& t);
void add_textures(handler_table& t);
void add_tensor_moves(handler_table& t);
void add_tensor_fills(handler_table& t);
void add_tensor_allocation(handler_table& t);
void add_tensor_product(handler_table& t);

}  // namespace bankwise::emulate::BANKWISE_ISA
