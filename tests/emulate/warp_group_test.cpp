// Tests warp groups: the four warps of a group execute a wgmma together, and the wgmma orders the warps' accesses to
// the operands. Two groups take turns at named barriers.
#include <gtest/gtest.h>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr const char* cubin = "tests/kernels/hopper/warp_group.cubin";

TEST(WarpGroup, ReadsOperandsThatAllItsWarpsWrote) {
  const int rounds = 3;
  for (const std::uint64_t seed : {0, 1, 2}) {  // the seed determines the order of the warps
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = "shares_operands",
                                       .block = {128, 1, 1},
                                       .arguments = {"f32[512]=0", "i32=" + std::to_string(rounds)},
                                       .seed = seed});
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->buffer<float>(0), std::vector<float>(512, 16.f * (1 + 2 + 3)));
  }
}

// A named barrier counts arriving threads, not warps. The barrier of the first group expects as many threads as the
// block has, or fewer.
TEST(NamedBarrier, CountsEachArrivalOfAWarp) {
  for (const unsigned threads : {128u, 160u}) {
    const auto run = test::run_kernel(
        {.cubin = cubin, .kernel = "takes_turns", .block = {threads, 1, 1}, .arguments = {"i32[7]=0", "i32=3"}});
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->buffer<int>(0), (std::vector<int>{6, 0, 1, 0, 1, 0, 1}));
  }
}

}  // namespace
}  // namespace bankwise
