// Floats of 4, 6 and 8 bits, and powers of two in 8 bits (UE8M0). The caller must handle infinities and NaNs.
//
//     value_of(e2m1_format, 0b0111) == 6      small_bits_of(e2m1_format, -100) == 0b1111
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/float_bits.hpp"

namespace bankwise {

struct small_float_format {
  int exponent_bits, fraction_bits;

  constexpr int width() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
inline constexpr small_float_format e2m1_format{2, 1}, e2m3_format{2, 3}, e3m2_format{3, 2}, e4m3_format{4, 3},
    e5m2_format{5, 2};

// The value is integer * 2^(exponent - fraction_bits), negated if is_negative. Subnormal numbers have the least
// exponent.
struct small_float_parts {
  int integer, exponent;
  bool is_negative;
};
// Decodes a number. Ignores the bits above the format's width.
constexpr small_float_parts parts_of(small_float_format f, std::uint32_t bits) {
  const auto fraction = static_cast<int>(bits & ((1u << f.fraction_bits) - 1));
  const auto biased = static_cast<int>(bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  return {biased == 0 ? fraction : fraction | 1 << f.fraction_bits, std::max(biased, 1) - f.bias(),
          (bits >> (f.width() - 1) & 1) != 0};
}
inline float value_of(small_float_format f, std::uint32_t bits) {
  const small_float_parts p = parts_of(f, bits);
  const float magnitude = std::ldexp(static_cast<float>(p.integer), p.exponent - f.fraction_bits);
  return p.is_negative ? -magnitude : magnitude;
}

// Rounds to nearest, ties to even. If a number is too large for the format, returns the format's largest number. For
// NaN, returns the largest positive number.
inline std::uint32_t small_bits_of(small_float_format f, double d) {
  const std::uint32_t largest = (1u << (f.width() - 1)) - 1;
  if (std::isnan(d)) return largest;
  const std::uint32_t sign = std::signbit(d) ? largest + 1 : 0;
  const double magnitude = std::fabs(d);
  if (magnitude >= 64) return sign | largest;  // the callers use only e2m1, e2m3 and e3m2, up to 28
  const int least = 1 - f.bias();
  const int exponent = magnitude < std::ldexp(1, least) ? least : std::ilogb(magnitude);
  const double units = std::ldexp(magnitude, f.fraction_bits - exponent);
  auto whole = static_cast<std::uint32_t>(units);
  const double rest = units - whole;
  if (rest > 0.5 || (rest == 0.5 && whole % 2 == 1)) ++whole;
  // `whole` includes the leading bit of a normal number, so a carry increments the exponent.
  const std::uint32_t bits = (static_cast<std::uint32_t>(exponent - least) << f.fraction_bits) + whole;
  return sign | std::min(bits, largest);
}

// Converts the magnitude of a float to UE8M0. Rounds to a power of two: up if `up` is true, otherwise down. NaN becomes
// 0xff. A number that is too large becomes 0xff, or 0xfe if `saturates`.
inline std::uint32_t ue8m0_of_float(std::uint32_t bits, bool up, bool saturates) {
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0xff;
  std::uint32_t exponent = magnitude >> 23;
  // The smallest UE8M0 is 2^-127, half of the smallest normal float.
  if (up && (magnitude & 0x7fffff) != 0 && magnitude > 0x400000) ++exponent;
  return saturates ? std::min(exponent, 0xfeu) : exponent;
}
inline float float_of_ue8m0(std::uint32_t byte) {
  return float_of_bits(byte == 0xff ? 0x7fffffff : byte == 0 ? 0x400000 : byte << 23);
}

}  // namespace bankwise
