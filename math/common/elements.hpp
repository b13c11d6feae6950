// Elements of matrices of any type, as numbers to compute with. Halves and 8-bit floats are read as floats, and rounded
// once when they are written. Integers are read as doubles, which represent sums of these integers exactly.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include "base/float_bits.hpp"
#include "math/common/math_abi.hpp"
#include "math/common/products.hpp"

namespace bankwise::math {

inline index_t bytes_of(int type) {
  switch (type) {
    case i8:
    case e4m3:
    case e5m2: return 1;
    case f16:
    case bf16: return 2;
    case f32:
    case i32: return 4;
    case f64:
    case c32: return 8;
    case c64: return 16;
    default: return 0;  // the type is unknown
  }
}
inline bool is_complex(int type) { return type == c32 || type == c64; }

// Rounds to E4M3. This format has no infinity, so a number that is too large becomes the largest number.
inline std::uint8_t e4m3_of_double(double d) {
  const double most = 448;
  if (std::isnan(d)) return std::signbit(d) ? 0xff : 0x7f;
  const std::uint8_t sign = std::signbit(d) ? 0x80 : 0;
  double magnitude = std::fabs(d);
  if (magnitude >= most) return static_cast<std::uint8_t>(sign | 0x7e);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The unit of the last place, which is 2^-9 for subnormal numbers.
  const double unit = std::ldexp(1.0, std::max(exponent - 4, -9));
  magnitude = std::nearbyint(magnitude / unit) * unit;
  if (magnitude == 0) return sign;
  std::frexp(magnitude, &exponent);
  if (exponent - 1 < -6) return static_cast<std::uint8_t>(sign | static_cast<int>(magnitude * 512));
  const int fraction = static_cast<int>(std::ldexp(magnitude, 4 - exponent)) & 7;
  return static_cast<std::uint8_t>(sign | (exponent - 1 + 7) << 3 | fraction);
}
inline std::uint8_t e5m2_of_double(double d) {
  if (!std::isnan(d) && std::fabs(d) >= 57344) return std::signbit(d) ? 0xfb : 0x7b;  // the largest number
  return static_cast<std::uint8_t>(narrow_double(d, 5, 2, rounding::nearest_even));
}

template <class T>
T load(const std::byte* at) {
  T t;
  std::memcpy(&t, at, sizeof t);
  return t;
}
template <class T>
void store(std::byte* at, T t) {
  std::memcpy(at, &t, sizeof t);
}

// Return the real part of an element, and the whole element, in the type in which a product is computed.
template <class T>
T number_of(const std::byte* at, int type) {
  const auto real = [](auto x) {
    if constexpr (std::is_same_v<T, cfloat>)
      return T(static_cast<float>(x));
    else
      return static_cast<T>(x);
  };
  switch (type) {
    case f32: return real(load<float>(at));
    case f64: return real(load<double>(at));
    case f16: return real(float_of_half(load<std::uint16_t>(at)));
    case bf16: return real(float_of_bfloat16(load<std::uint16_t>(at)));
    case i8: return real(load<std::int8_t>(at));
    case i32: return real(load<std::int32_t>(at));
    case e4m3: return real(float_of_e4m3(load<std::uint8_t>(at)));
    case e5m2: return real(float_of_e5m2(load<std::uint8_t>(at)));
    default: break;
  }
  if constexpr (std::is_same_v<T, cfloat> || std::is_same_v<T, cdouble>) {
    if (type == c32) return T(load<cfloat>(at));
    if (type == c64) return T(load<cdouble>(at));
  }
  return T(0);
}

// Converts a float to a half. Takes fewer steps than half_of_double, with the same result.
inline std::uint16_t half_of_float(float f) {
  const std::uint32_t bits = bits_of_float(f), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  // the half is zero, subnormal, infinite or NaN
  if (magnitude - 0x38800000 >= 0x47800000 - 0x38800000) return half_of_double(f);
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}
inline std::uint16_t bfloat16_of_float(float f) {
  const std::uint32_t bits = bits_of_float(f);
  if ((bits & 0x7fffffff) > 0x7f800000) return bfloat16_of_double(f);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
void put_number(std::byte* at, int type, T value) {
  if constexpr (std::is_same_v<T, cfloat> || std::is_same_v<T, cdouble>) {
    if (type == c32) return store(at, cfloat(value));
    if (type == c64) return store(at, cdouble(value));
    return put_number(at, type, value.real());
  } else {
    switch (type) {
      case f32: return store(at, static_cast<float>(value));
      case f64: return store(at, static_cast<double>(value));
      case f16:
        return store(at, std::is_same_v<T, float> ? half_of_float(static_cast<float>(value)) : half_of_double(value));
      case bf16:
        return store(
            at, std::is_same_v<T, float> ? bfloat16_of_float(static_cast<float>(value)) : bfloat16_of_double(value));
      case i8: {
        const double d = std::nearbyint(static_cast<double>(value));
        return store(at, static_cast<std::int8_t>(std::fmin(std::fmax(d, -128), 127)));
      }
      case i32: {
        // Sums of integers wrap around, as in tensor cores.
        const double d = std::nearbyint(static_cast<double>(value));
        if (!(std::fabs(d) < 9.0e18)) return store(at, std::int32_t{0});
        return store(at, static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(d))));
      }
      case e4m3: return store(at, e4m3_of_double(static_cast<double>(value)));
      case e5m2: return store(at, e5m2_of_double(static_cast<double>(value)));
      default: return;
    }
  }
}

// Returns the number of the element type for a C++ type.
inline constexpr int type_of(float) { return f32; }
inline constexpr int type_of(double) { return f64; }
inline constexpr int type_of(cfloat) { return c32; }
inline constexpr int type_of(cdouble) { return c64; }
inline constexpr int type_of(half) { return f16; }
inline constexpr int type_of(bfloat16) { return bf16; }

}  // namespace bankwise::math
