// Tests conversions between double and half or bfloat16: every half, and rounding at the limits.
#include "base/float_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bankwise {
namespace {

TEST(FloatBits, EveryHalfIsItself) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const float f = float_of_half(static_cast<std::uint16_t>(h));
    if (std::isnan(f)) {
      EXPECT_EQ(half_of_double(f), 0x7fff);
      continue;
    }
    for (const rounding mode : {rounding::nearest_even, rounding::down, rounding::up, rounding::toward_zero})
      ASSERT_EQ(half_of_double(f, mode), h);
  }
}

// Compares the branch-free conversion with the conversion that supports every rounding mode. Tries each exponent and
// sign, including values halfway between two numbers.
TEST(FloatBits, NarrowedFloatsAreNarrowedDoubles) {
  for (std::uint64_t n = 0; n < std::uint64_t{1} << 32; n += 4093) {
    for (const std::uint32_t bits : {static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n) & ~0xfffu,
                                     static_cast<std::uint32_t>(n) & ~0x7fffu}) {
      const float f = float_of_bits(bits);
      ASSERT_EQ(half_of_float(f), half_of_double(f)) << f;
      ASSERT_EQ(bfloat16_of_float(f), bfloat16_of_double(f)) << f;
    }
  }
}

TEST(FloatBits, EveryBfloat16IsItself) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const float f = float_of_bfloat16(static_cast<std::uint16_t>(h));
    if (std::isnan(f)) continue;
    ASSERT_EQ(bfloat16_of_double(f), h);
  }
}

TEST(FloatBits, BetweenTwoHalvesTheModeDecides) {
  const double low = 1.0, high = 1.0 + 0x1p-10, middle = 1.0 + 0x1p-11;
  EXPECT_EQ(half_of_double(middle), half_of_double(low));  // to even
  EXPECT_EQ(half_of_double(middle + 0x1p-30), half_of_double(high));
  EXPECT_EQ(half_of_double(high + 0x1p-11), half_of_double(1.0 + 0x1p-9));
  EXPECT_EQ(half_of_double(middle, rounding::up), half_of_double(high));
  EXPECT_EQ(half_of_double(middle, rounding::down), half_of_double(low));
  EXPECT_EQ(half_of_double(-middle, rounding::down), half_of_double(-high));
  EXPECT_EQ(half_of_double(-middle, rounding::toward_zero), half_of_double(-low));
}

TEST(FloatBits, BeyondTheLargestHalf) {
  EXPECT_EQ(half_of_double(65504.0), 0x7bff);
  EXPECT_EQ(half_of_double(65519.0), 0x7bff);
  EXPECT_EQ(half_of_double(65520.0), 0x7c00);  // 65520 is in the middle, and is rounded up to infinity
  EXPECT_EQ(half_of_double(1e300, rounding::toward_zero), 0x7bff);
  EXPECT_EQ(half_of_double(-1e300, rounding::down), 0xfc00);
  EXPECT_EQ(half_of_double(std::numeric_limits<double>::infinity(), rounding::toward_zero), 0x7c00);
}

TEST(FloatBits, BelowTheSmallestHalf) {
  EXPECT_EQ(half_of_double(0x1p-24), 0x0001);
  EXPECT_EQ(half_of_double(0x1p-25), 0x0000);  // 2^-25 is in the middle, and is rounded to the even number
  EXPECT_EQ(half_of_double(0x1.8p-25), 0x0001);
  EXPECT_EQ(half_of_double(1e-300, rounding::up), 0x0001);
  EXPECT_EQ(half_of_double(-1e-300, rounding::up), 0x8000);
}

TEST(FloatBits, OfEightBits) {
  EXPECT_EQ(float_of_e4m3(0x38), 1.0f);
  EXPECT_EQ(float_of_e4m3(0xfe), -448.0f);
  EXPECT_EQ(float_of_e4m3(0x08), 0x1p-6f);
  EXPECT_EQ(float_of_e4m3(0x87), -7 * 0x1p-9f);
  EXPECT_EQ(bits_of_float(float_of_e4m3(0x80)), 0x80000000u);
  EXPECT_TRUE(std::isnan(float_of_e4m3(0x7f)) && std::isnan(float_of_e4m3(0xff)));
  EXPECT_EQ(float_of_e5m2(0x3c), 1.0f);
  EXPECT_EQ(float_of_e5m2(0x7b), 57344.0f);
  EXPECT_EQ(float_of_e5m2(0x81), -0x1p-16f);
  EXPECT_EQ(float_of_e5m2(0xfc), -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace bankwise
