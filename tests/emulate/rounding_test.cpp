// Compares the rounding modes of floating-point instructions with exact arithmetic (tests/kernels/rounding.cu). The
// reference computations do not change the CPU's rounding mode, because compilers move arithmetic across changes of the
// rounding mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/float_bits.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr rounding modes[] = {rounding::nearest_even, rounding::down, rounding::up, rounding::toward_zero};

// The operands are multiples of 2^-24 below 1, so a double holds every sum and product of two operands exactly.
double exact(unsigned operation, double a, double b, double c, double p) {
  return operation == 0 ? a + b : operation == 1 ? a * b : operation == 2 ? a * b + c : p;
}

TEST(Rounding, OfEveryOperationInEveryMode) {
  std::vector<float> x(96);
  std::vector<double> y(96);
  for (unsigned i = 0; i < 96; ++i) {
    x[i] = static_cast<float>(i * 7'368'787u % 16'777'213u) * 0x1p-24f;
    y[i] = static_cast<double>((i + 1) * 5'908'590'411'113'041ull % 9'007'199'254'740'881ull) * 0x1p-53;
  }
  const auto run = test::run_kernel({.cubin = "tests/kernels/rounding.cubin",
                                     .kernel = "kernel",
                                     .arguments = {"out:u32[512]", "out:u64[384]", "f32[]=file:x", "f64[]=file:y"},
                                     .files = {{"x", test::bytes_of(x)}, {"y", test::bytes_of(y)}}});
  ASSERT_TRUE(run) << to_text(run.error());

  const auto f = run->buffer<std::uint32_t>(0);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned t = 0; t < 32; ++t)
      ASSERT_EQ(f[row * 32 + t], narrow_double(exact(row / 4, x[t], x[t + 32], x[t + 64], y[t]), 8, 23, modes[row % 4]))
          << "operation " << row / 4 << ", mode " << row % 4 << ", thread " << t;

  // No type holds the exact results of operations on doubles. So the test compares the results of neighbouring rounding
  // modes. If a double holds the error of the nearest result, the test also checks this error.
  const auto d = run->buffer<double>(1);
  unsigned inexact = 0;
  for (unsigned operation = 0; operation < 3; ++operation)
    for (unsigned t = 0; t < 32; ++t) {
      const double *at = &d[operation * 128 + t], nearest = at[0], down = at[32], up = at[64], zero = at[96];
      ASSERT_EQ(zero, down);
      ASSERT_TRUE(up == down || up == std::nextafter(down, 10.0)) << up << " " << down;
      ASSERT_TRUE(nearest == down || nearest == up);
      inexact += up != down;
      const double a = y[t], b = y[t + 32];
      const double error = operation == 0 ? std::min(a, b) - (nearest - std::max(a, b)) : std::fma(a, b, -nearest);
      if (operation == 2) continue;
      ASSERT_EQ(down < nearest, error < 0);
      ASSERT_EQ(up > nearest, error > 0);
    }
  EXPECT_GT(inexact, 40u);
}

}  // namespace
}  // namespace bankwise
