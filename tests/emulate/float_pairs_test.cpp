// Tests code of sm_100a for pairs of floats, and for the minimum and maximum of three floats.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr const char* cubin = "tests/kernels/blackwell/float_pairs.cubin";
constexpr int lanes = 32;
using pair = std::array<float, 2>;

std::vector<float> numbers(float first, float step, int count) {
  std::vector<float> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[i] = first + step * static_cast<float>(i % 13) * (i % 3 == 0 ? -1.0f : 1.0f);
  return all;
}

TEST(FloatPairs, TakeHalvesInEachOrder) {
  const std::vector<float> a = numbers(1.25f, 0.5f, 2 * lanes), b = numbers(-3, 0.75f, 2 * lanes),
                           c = numbers(0.5f, 1.5f, 2 * lanes);
  const auto run =
      test::run_kernel({.cubin = cubin,
                        .kernel = "pairs",
                        .block = {lanes, 1, 1},
                        .arguments = {"f32[]=file:a", "f32[]=file:b", "f32[]=file:c", "out:f32[704]"},
                        .files = {{"a", test::bytes_of(a)}, {"b", test::bytes_of(b)}, {"c", test::bytes_of(c)}}});
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<float> got = run->buffer<float>(3);
  for (int t = 0; t < lanes; ++t) {
    const pair x = {a[2 * t], a[2 * t + 1]}, y = {b[2 * t], b[2 * t + 1]}, z = {c[2 * t], c[2 * t + 1]};
    const auto fma = [](pair p, pair q, pair r) {
      return pair{std::fma(p[0], q[0], r[0]), std::fma(p[1], q[1], r[1])};
    };
    const auto exchanged = [](pair p) { return pair{p[1], p[0]}; };
    const auto both = [](float f) { return pair{f, f}; };
    const pair none = both(-0.0f), one = both(1);
    const pair expected[] = {fma(x, y, z),
                             fma(x, y, none),
                             fma(x, one, y),
                             fma(both(x[0]), both(y[1]), both(z[0])),
                             fma(exchanged(x), y, exchanged(z)),
                             fma(both(x[0]), y, none),
                             fma(x, one, exchanged(y)),
                             fma(x, both(2.5f), z),
                             fma(x, y, both(-1.5f)),
                             fma(x, one, both(0.25f)),
                             fma(both(z[0]), both(z[0]), both(z[0]))};
    for (int n = 0; n < 11; ++n)
      for (int k = 0; k < 2; ++k)
        EXPECT_EQ(got[2 * (n * lanes + t) + k], expected[n][k]) << "result " << n << ", thread " << t << ", half " << k;
  }
}

TEST(FloatPairs, ExtremesOfThreeKeepNaNIfAsked) {
  std::vector<float> a = numbers(-2, 0.5f, lanes), b = numbers(1, 0.25f, lanes), c = numbers(-1, 1, lanes);
  a[3] = b[4] = c[5] = a[6] = b[6] = NAN;
  const auto run =
      test::run_kernel({.cubin = cubin,
                        .kernel = "extremes",
                        .block = {lanes, 1, 1},
                        .arguments = {"f32[]=file:a", "f32[]=file:b", "f32[]=file:c", "out:f32[128]"},
                        .files = {{"a", test::bytes_of(a)}, {"b", test::bytes_of(b)}, {"c", test::bytes_of(c)}}});
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<float> got = run->buffer<float>(3);
  for (int t = 0; t < lanes; ++t) {
    const float most = std::fmax(std::fmax(a[t], b[t]), c[t]), least = std::fmin(std::fmin(a[t], b[t]), c[t]);
    EXPECT_EQ(got[t], most) << t;
    if (t >= 3 && t <= 6) {
      for (int n = 1; n < 4; ++n) EXPECT_TRUE(std::isnan(got[n * lanes + t])) << n << " " << t;
      continue;
    }
    EXPECT_EQ(got[lanes + t], most) << t;
    EXPECT_EQ(got[2 * lanes + t], least) << t;
    EXPECT_EQ(got[3 * lanes + t], std::fmax(std::fmax(std::fabs(a[t]), std::fabs(b[t])), std::fabs(c[t]))) << t;
  }
}

}  // namespace
}  // namespace bankwise
