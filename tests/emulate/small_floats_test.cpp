// Compares UE8M0 and floats of 4 and 6 bits with tables. Compares their rounding with a search for the nearest value.
#include "emulate/execute/small_floats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bankwise {
namespace {

TEST(SmallFloats, FourBitsAreTheValuesOfTheirTable) {
  constexpr float values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned bits = 0; bits < 8; ++bits) {
    EXPECT_EQ(value_of(e2m1_format, bits), values[bits]);
    EXPECT_EQ(value_of(e2m1_format, bits | 8), -values[bits]);
    EXPECT_EQ(value_of(e2m1_format, bits | 0xf0), values[bits]) << "bits above the number are ignored";
  }
}
TEST(SmallFloats, SixBitsHaveTheExtremesOfTheirFormats) {
  EXPECT_EQ(value_of(e2m3_format, 0x1f), 7.5f);
  EXPECT_EQ(value_of(e2m3_format, 0x01), 0.125f);
  EXPECT_EQ(value_of(e2m3_format, 0x08), 1.0f);
  EXPECT_EQ(value_of(e3m2_format, 0x1f), 28.0f);
  EXPECT_EQ(value_of(e3m2_format, 0x01), 0.0625f);
  EXPECT_EQ(value_of(e3m2_format, 0x2c), -1.0f);
}

// Returns the nearest number. If two numbers are equally near, returns the number whose last bit is zero.
std::uint32_t nearest(small_float_format f, double d) {
  std::uint32_t best = 0;
  double distance = INFINITY;
  const std::uint32_t half = 1u << (f.width() - 1);
  for (std::uint32_t bits = 0; bits < half; ++bits) {
    const double away = std::fabs(value_of(f, bits) - std::fabs(d));
    if (away < distance || (away == distance && bits % 2 == 0)) best = bits, distance = away;
  }
  return best | (std::signbit(d) ? half : 0);
}
TEST(SmallFloats, RoundToTheNearest) {
  std::mt19937_64 next(20261126);
  for (const small_float_format f : {e2m1_format, e2m3_format, e3m2_format}) {
    for (int n = -4000; n <= 4000; ++n) {
      const double d = n / 64.0;
      ASSERT_EQ(small_bits_of(f, d), nearest(f, d)) << d;
    }
    for (unsigned round = 0; round < 20000; ++round) {
      const double d = std::ldexp(1 + static_cast<double>(next() % 4096) / 4096, static_cast<int>(next() % 16) - 9);
      ASSERT_EQ(small_bits_of(f, d), nearest(f, d)) << d;
      ASSERT_EQ(small_bits_of(f, -d), nearest(f, -d)) << d;
    }
    const std::uint32_t largest = (1u << (f.width() - 1)) - 1;
    EXPECT_EQ(small_bits_of(f, INFINITY), largest);
    EXPECT_EQ(small_bits_of(f, -1e300), largest * 2 + 1);
    EXPECT_EQ(small_bits_of(f, NAN), largest);
    EXPECT_EQ(small_bits_of(f, std::copysign(NAN, -1.0)), largest);
    EXPECT_EQ(small_bits_of(f, -0.0), largest + 1);
  }
}

// Rounding up gives the smallest power of two that is not less than the magnitude. Rounding down gives the largest
// power of two that is not greater than the magnitude.
TEST(SmallFloats, Ue8m0IsAPowerOfTwo) {
  std::mt19937_64 next(20261127);
  for (unsigned round = 0; round < 20000; ++round) {
    const auto bits = static_cast<std::uint32_t>(next());
    const double magnitude = std::fabs(static_cast<double>(float_of_bits(bits)));
    if (!std::isfinite(magnitude)) continue;
    const std::uint32_t down = ue8m0_of_float(bits, false, true), up = ue8m0_of_float(bits, true, true);
    const double below = float_of_ue8m0(down), above = float_of_ue8m0(up);
    if (magnitude >= 0x1p-126) {
      ASSERT_TRUE(below <= magnitude && magnitude < 2 * below) << bits;
    }
    if (magnitude <= 0x1p127) {
      ASSERT_TRUE(above >= magnitude && (up == 0 || above < 2 * magnitude)) << bits;
    }
  }
  EXPECT_EQ(ue8m0_of_float(bits_of_float(1.0f), true, false), 127u);
  EXPECT_EQ(ue8m0_of_float(bits_of_float(-1.5f), true, false), 128u);
  EXPECT_EQ(ue8m0_of_float(0, true, false), 0u);
  EXPECT_EQ(ue8m0_of_float(0x00400000, true, false), 0u);
  EXPECT_EQ(ue8m0_of_float(0x00400001, true, false), 1u);
  EXPECT_EQ(ue8m0_of_float(0x7f7fffff, true, false), 255u);
  EXPECT_EQ(ue8m0_of_float(0x7f7fffff, true, true), 254u);
  EXPECT_EQ(ue8m0_of_float(0x7f800000, false, false), 255u);
  EXPECT_EQ(ue8m0_of_float(0x7f800000, false, true), 254u);
  EXPECT_EQ(ue8m0_of_float(0x7fc00000, false, true), 255u);
  EXPECT_EQ(float_of_ue8m0(0), 0x1p-127f);
  EXPECT_EQ(float_of_ue8m0(254), 0x1p127f);
  EXPECT_TRUE(std::isnan(float_of_ue8m0(255)));
}

}  // namespace
}  // namespace bankwise
