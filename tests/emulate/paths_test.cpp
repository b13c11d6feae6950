// Lanes of a warp that go different ways and meet again.
#include <gtest/gtest.h>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

TEST(Paths, EachCallOfARecursionWaitsForItsOwnLanes) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/recursion.cubin",
                                     .kernel = "recursion",
                                     .block = {64, 1, 1},
                                     .arguments = {"out:i32[64]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  const auto out = run->buffer<int>(0);
  for (int t = 0; t < 64; ++t) {
    const int from = 63 - t;
    EXPECT_EQ(out[static_cast<std::size_t>(t)], fibonacci(from % 12) * 1000 + ackermann(from % 3, from % 5)) << t;
  }
}

}  // namespace
}  // namespace bankwise
