// The arithmetic of an H200's tensor cores, for products of warps and of warp groups.
#pragma once

#include <cmath>
#include <cstring>

#include "base/float_bits.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

inline constexpr unsigned most_k = 256;

// The types of floats that tensor cores multiply.
enum class number : std::uint8_t { f16, bf16, tf32, e4m3, e5m2 };
enum class integer_form : std::uint8_t { bits, nibbles, bytes };

// Executes QMMA for numbers of fewer than 8 bits. Defined in scaled_products.cpp.
step multiply_small_numbers(worker& m, const micro_op& u, u32 mask);

// Returns the row of register first + k.
static inline const u32* operand_row(worker& m, unsigned first, unsigned k) {
  return m.w->reg(register_source(first, k).index);
}

// Returns the exponent of a number, but at least `least`. Numbers below 2^least have the exponent `least`. The exponent
// of zero is less than the exponent of any product.
inline constexpr i32 no_exponent = -100000;
static inline i32 exponent_of(double d, i32 least = -1022) {
  const i32 e = static_cast<i32>(bits_of_double(d) >> 52 & 0x7ff);
  return e == 0 ? no_exponent : std::max(e - 1023, least);
}
static inline double power_of_two(int n) { return double_of_bits(static_cast<u64>(n + 1023) << 52); }

// The elements of A and B with their exponents.
struct float_fragments {
  double a[16 * most_k], b[8 * most_k];
  i32 a_exponent[16 * most_k], b_exponent[8 * most_k];
  bool finite = true;
};

// Finds the exponents of `count` numbers. Returns the largest exponent. If any number is not finite, returns 1024.
static inline i32 measure(const double* v, i32* exponent, unsigned count, i32 least) {
  i32 largest = no_exponent;
  for (unsigned i = 0; i < count; ++i) {
    exponent[i] = exponent_of(v[i], least);
    largest = std::max(largest, exponent[i]);
  }
  return largest;
}
static inline void measure(const double* v, i32* exponent, unsigned rows, unsigned k, bool& finite, i32 least = -1022) {
  for (unsigned r = 0; r < rows; ++r) finite &= measure(v + r * most_k, exponent + r * most_k, k, least) < 1024;
}

// Returns c plus all products, added as in a tensor core. First, all bits more than `kept` places below the largest
// exponent of all terms are dropped. The sum of the remaining bits is exact. The exponent of a product is the sum of
// its factors' exponents.
[[gnu::always_inline]] static inline double fused_sum(const double* a, const i32* ea, const double* b, const i32* eb,
                                                      unsigned count, bool all_finite, double c, int kept) {
  bool finite = std::isfinite(c);
  for (unsigned k = 0; k < count && !all_finite; ++k) finite &= ea[k] < 1024 && eb[k] < 1024;
  if (!finite) {
    for (unsigned k = 0; k < count; ++k) c += a[k] * b[k];
    return c;
  }
  i32 top = exponent_of(c);
  for (unsigned k = 0; k < count; ++k) top = std::max(top, ea[k] + eb[k]);
  if (top <= no_exponent / 2) return 0;
  // A scaled term is below 2^27, so it has at most 32 bits.
  const double scale = power_of_two(kept - top);
  i64 sum = static_cast<i32>(c * scale);
  for (unsigned k = 0; k < count; ++k) sum += static_cast<i32>(a[k] * b[k] * scale);
  return static_cast<double>(sum) * power_of_two(top - kept);
}
static inline double fused_sum(const float_fragments& f, unsigned row, unsigned column, unsigned count, double c,
                               int kept = 25) {
  return fused_sum(f.a + row * most_k, f.a_exponent + row * most_k, f.b + column * most_k,
                   f.b_exponent + column * most_k, count, f.finite, c, kept);
}

// Eight columns of B, row by row.
struct eight_columns {
  double at[16][8];
  i32 exponent[16][8];
};
// Computes fused_sum() for a row of A and eight columns of B. `sums` contains C before the call, and D after the call.
static inline void fused_sums(const double* a, const i32* ea, const eight_columns& b, unsigned count, bool finite,
                              double* sums) {
  constexpr int kept = 25;
  constexpr i32 least = -500;  // smaller than the exponent of any product
  for (unsigned c = 0; c < 8; ++c) finite &= std::isfinite(sums[c]);
  if (!finite) {
    for (unsigned c = 0; c < 8; ++c) {
      double column[16];
      i32 exponent[16];
      for (unsigned k = 0; k < count; ++k) column[k] = b.at[k][c], exponent[k] = b.exponent[k][c];
      sums[c] = fused_sum(a, ea, column, exponent, count, false, sums[c], kept);
    }
    return;
  }
  i32 top[8];
  for (unsigned c = 0; c < 8; ++c) top[c] = std::max(exponent_of(sums[c]), least);
  for (unsigned k = 0; k < count; ++k)
    for (unsigned c = 0; c < 8; ++c) top[c] = std::max(top[c], ea[k] + b.exponent[k][c]);
  using four = double __attribute__((vector_size(32)));
  using four_integers = i32 __attribute__((vector_size(16)));
  for (unsigned first = 0; first < 8; first += 4) {
    four scale, back, x, sum;
    for (unsigned c = 0; c < 4; ++c) {
      scale[c] = power_of_two(kept - top[first + c]);
      back[c] = power_of_two(top[first + c] - kept);
    }
    // Truncates toward zero. The truncated terms are below 2^27, so their sums are exact.
    const auto cut = [](four& d) { d = __builtin_convertvector(__builtin_convertvector(d, four_integers), four); };
    std::memcpy(&sum, sums + first, sizeof sum);
    sum *= scale;
    cut(sum);
    for (unsigned k = 0; k < count; ++k) {
      std::memcpy(&x, b.at[k] + first, sizeof x);
      x = x * a[k] * scale;
      cut(x);
      sum += x;
    }
    sum *= back;
    std::memcpy(sums + first, &sum, sizeof sum);
  }
}

// Rounds toward zero. A number that is too large becomes infinite.
static inline u32 cut_to_float(double d) {
  const u64 n = bits_of_double(d);
  const i32 exponent = static_cast<i32>(n >> 52 & 0x7ff) - 1023;
  if (exponent >= -126 && exponent <= 127)
    return static_cast<u32>(n >> 63 << 31) | static_cast<u32>(exponent + 127) << 23 |
           static_cast<u32>(n >> 29 & 0x7fffff);
  if (std::fabs(d) >= 0x1p128) d = std::copysign(INFINITY, d);
  return narrow_double(d, 8, 23, rounding::toward_zero);
}
// Keeps 13 bits of the fraction, as a GPU does for sums of 8-bit floats.
static inline u32 cut_to_short_float(double d) {
  const u32 bits = cut_to_float(d);
  return std::isfinite(d) ? bits & ~0x3ffu : bits;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
