// Converts between floating-point formats by their bits: half, bfloat16, 8-bit floats, float and double.
#pragma once

#include <bit>
#include <cstdint>

namespace bankwise {

inline float float_of_bits(std::uint32_t n) { return std::bit_cast<float>(n); }
inline std::uint32_t bits_of_float(float f) { return std::bit_cast<std::uint32_t>(f); }
inline double double_of_bits(std::uint64_t n) { return std::bit_cast<double>(n); }
inline std::uint64_t bits_of_double(double d) { return std::bit_cast<std::uint64_t>(d); }

// Converts binary16 to float exactly. The function has no branches, so that compilers can vectorise loops over lanes.
inline float float_of_half(std::uint16_t h) {
  const std::uint32_t sign = (h & 0x8000u) << 16, magnitude = h & 0x7fffu;
  const std::uint32_t finite = bits_of_float(float_of_bits(magnitude << 13) * 0x1p112f);
  return float_of_bits(sign | finite | (magnitude >= 0x7c00 ? 0x7f800000u : 0));
}
// Rounds to the nearest half, ties to even. The result for NaN is 0x7fff. The function has no branches.
inline std::uint16_t half_of_float(float f) {
  const std::uint32_t bits = bits_of_float(f), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  // When 0.5 is added, the sum has an exponent at which its last bit is 2^-24, like the last bit of a subnormal half.
  const std::uint32_t subnormal = bits_of_float(float_of_bits(magnitude) + 0.5f) - bits_of_float(0.5f);
  const std::uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
  const std::uint32_t any = magnitude < 0x47800000 ? sign | finite : sign | 0x7c00;
  return static_cast<std::uint16_t>(magnitude > 0x7f800000 ? 0x7fff : any);
}
inline float float_of_bfloat16(std::uint16_t h) { return float_of_bits(static_cast<std::uint32_t>(h) << 16); }
inline std::uint16_t bfloat16_of_float(float f) {
  const std::uint32_t bits = bits_of_float(f), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
}

// in the order of the encodings of .RN, .RM, .RP and .RZ
enum class rounding : std::uint8_t { nearest_even, down, up, toward_zero };

// 8-bit floats. E5M2 is the high byte of a half. E4M3 has no infinity, and all bits of its NaN are ones.
inline float float_of_e5m2(std::uint8_t b) { return float_of_half(static_cast<std::uint16_t>(b << 8)); }
inline float float_of_e4m3(std::uint8_t b) {
  const std::uint32_t sign = static_cast<std::uint32_t>(b & 0x80) << 24;
  const std::uint32_t exponent = b >> 3 & 0xf, fraction = b & 7;
  if (exponent == 15 && fraction == 7) return float_of_bits(sign | 0x7fc00000);
  if (exponent != 0) return float_of_bits(sign | (exponent + 120) << 23 | fraction << 20);
  // Zeros and subnormal numbers are fraction * 2^-9.
  return float_of_bits(sign | bits_of_float(static_cast<float>(fraction) * 0x1p-9f));
}

// Removes the `drop` low bits of a value, and rounds the remaining bits. `sticky`: whether earlier operations have
// already lost bits.
inline std::uint64_t round_bits(std::uint64_t value, unsigned drop, bool sticky, bool negative, rounding mode) {
  if (drop == 0) {
    // If no bits were lost before, the value is already exact.
    if (!sticky) return value;
    return value + ((mode == rounding::up && !negative) || (mode == rounding::down && negative) ? 1 : 0);
  }
  if (drop > 63) {
    sticky = sticky || value != 0;
    value = 0;
    return (mode == rounding::up && !negative && sticky) || (mode == rounding::down && negative && sticky) ? 1 : 0;
  }
  const std::uint64_t kept = value >> drop, lost = value & ((std::uint64_t{1} << drop) - 1),
                      half = std::uint64_t{1} << (drop - 1);
  const bool inexact = lost != 0 || sticky;
  switch (mode) {
    case rounding::nearest_even: return kept + (lost > half || (lost == half && (sticky || (kept & 1) != 0)) ? 1 : 0);
    case rounding::down: return kept + (inexact && negative ? 1 : 0);
    case rounding::up: return kept + (inexact && !negative ? 1 : 0);
    case rounding::toward_zero: return kept;
  }
  return kept;
}

// Converts a double to a smaller format with `exponent_bits` and `fraction_bits`. After an overflow, the rounding mode
// determines whether the result is infinity or the largest finite number. The result for NaN is the canonical NaN: all
// bits except the sign are ones.
inline std::uint32_t narrow_double(double d, unsigned exponent_bits, unsigned fraction_bits, rounding mode) {
  const std::uint64_t n = bits_of_double(d);
  const bool negative = n >> 63 != 0;
  const auto exponent = static_cast<int>(n >> 52 & 0x7ff);
  const std::uint64_t fraction = n & ((std::uint64_t{1} << 52) - 1);
  const unsigned width = exponent_bits + fraction_bits;
  const std::uint32_t sign = negative ? 1u << width : 0;
  const int most = (1 << exponent_bits) - 1, bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == 0x7ff)
    return fraction != 0 ? (1u << width) - 1 : sign | static_cast<std::uint32_t>(most) << fraction_bits;
  if (exponent == 0 && fraction == 0) return sign;
  const int e = exponent == 0 ? -1022 : exponent - 1023;
  const std::uint64_t significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  int biased = e + bias;
  unsigned drop = 52 - fraction_bits;
  if (biased <= 0) {
    drop += static_cast<unsigned>(1 - biased);
    biased = 0;
  }
  std::uint64_t kept = round_bits(significand, drop, false, negative, mode);
  // `kept` includes the hidden bit of a normal number. The fields are added, so that a carry of the fraction increases
  // the exponent.
  const std::uint64_t magnitude = biased == 0 ? kept : (static_cast<std::uint64_t>(biased - 1) << fraction_bits) + kept;
  if (magnitude >= static_cast<std::uint64_t>(most) << fraction_bits) {
    const bool to_infinity =
        mode == rounding::nearest_even || (mode == rounding::up && !negative) || (mode == rounding::down && negative);
    const std::uint32_t infinity = static_cast<std::uint32_t>(most) << fraction_bits;
    return sign | (to_infinity ? infinity : infinity - 1);
  }
  return sign | static_cast<std::uint32_t>(magnitude);
}

inline std::uint16_t half_of_double(double d, rounding mode = rounding::nearest_even) {
  return static_cast<std::uint16_t>(narrow_double(d, 5, 10, mode));
}
inline std::uint16_t bfloat16_of_double(double d, rounding mode = rounding::nearest_even) {
  return static_cast<std::uint16_t>(narrow_double(d, 8, 7, mode));
}

}  // namespace bankwise
