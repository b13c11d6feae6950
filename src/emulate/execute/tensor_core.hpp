// The arithmetic of a tensor core, as an H200 does it: what warps and warp groups multiply is added like this.
#pragma once

#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

inline constexpr unsigned most_k = 256;

// Register k of an operand whose first is `first`.
static inline const u32* operand_row(worker& m, unsigned first, unsigned k) {
  return m.w->reg(register_source(first, k).index);
}

// A zero has an exponent that no product reaches.
inline constexpr i32 no_exponent = -100000;
static inline i32 exponent_of(double d) {
  return d == 0 ? no_exponent : static_cast<i32>(bits_of_double(d) >> 52 & 0x7ff) - 1023;
}
static inline double power_of_two(int n) { return double_of_bits(static_cast<u64>(n + 1023) << 52); }

// The elements of A and B with their exponents.
struct float_fragments {
  double a[16 * most_k], b[8 * most_k];
  i32 a_exponent[16 * most_k], b_exponent[8 * most_k];
  bool finite = true;
};

static inline void measure(const double* v, i32* exponent, unsigned rows, unsigned k, bool& finite) {
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned i = r * most_k; i < r * most_k + k; ++i) {
      exponent[i] = exponent_of(v[i]);
      finite &= exponent[i] < 1024;
    }
}

// c plus all products, as the tensor core adds them: every term is cut off `kept` bits below the largest exponent among
// them (a product counts as the sum of its factors' exponents), and the sum of what is left is exact.
static inline double fused_sum(const float_fragments& f, unsigned row, unsigned column, unsigned count, double c,
                               int kept = 25) {
  const double *a = f.a + row * most_k, *b = f.b + column * most_k;
  const i32 *ea = f.a_exponent + row * most_k, *eb = f.b_exponent + column * most_k;
  bool finite = std::isfinite(c);
  for (unsigned k = 0; k < count && !f.finite; ++k) finite &= ea[k] < 1024 && eb[k] < 1024;
  if (!finite) {
    for (unsigned k = 0; k < count; ++k) c += a[k] * b[k];
    return c;
  }
  i32 top = exponent_of(c);
  for (unsigned k = 0; k < count; ++k) top = std::max(top, ea[k] + eb[k]);
  if (top <= no_exponent / 2) return 0;
  // Every term is below 2^27, so that 32 bits hold it.
  const double scale = power_of_two(kept - top);
  i64 sum = static_cast<i32>(c * scale);
  for (unsigned k = 0; k < count; ++k) sum += static_cast<i32>(a[k] * b[k] * scale);
  return static_cast<double>(sum) * power_of_two(top - kept);
}

// Toward zero, but too large is infinite.
static inline u32 cut_to_float(double d) {
  const u64 n = bits_of_double(d);
  const i32 exponent = static_cast<i32>(n >> 52 & 0x7ff) - 1023;
  if (exponent >= -126 && exponent <= 127)
    return static_cast<u32>(n >> 63 << 31) | static_cast<u32>(exponent + 127) << 23 |
           static_cast<u32>(n >> 29 & 0x7fffff);
  if (std::fabs(d) >= 0x1p128) d = std::copysign(INFINITY, d);
  return narrow_double(d, 8, 23, rounding::toward_zero);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
