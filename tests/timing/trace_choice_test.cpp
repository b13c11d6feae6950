// Tests which blocks are traced.
#include <gtest/gtest.h>

#include <set>

#include "timing/trace_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(TraceChoice, SmallGridsAreTracedWhole) {
  const traced_choice c = choose_blocks(5, 132, 8, false);
  EXPECT_EQ(c.whole, (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(c.touching.empty());
}

TEST(TraceChoice, OfLargeGridsTheBlocksOfOneMultiprocessor) {
  const traced_choice c = choose_blocks(100'000, 132, 8, false);
  ASSERT_GE(c.whole.size(), 16u);
  for (std::size_t i = 1; i < c.whole.size(); ++i) EXPECT_EQ(c.whole[i] - c.whole[i - 1], 132u);
  EXPECT_GT(c.touching.size(), 500u);
}

TEST(TraceChoice, NoBlockTwice) {
  for (const std::uint64_t blocks : {1ull, 131ull, 132ull, 133ull, 1000ull, 65536ull}) {
    const traced_choice c = choose_blocks(blocks, 132, 4, false);
    std::set<std::uint64_t> all(c.whole.begin(), c.whole.end());
    all.insert(c.touching.begin(), c.touching.end());
    EXPECT_EQ(all.size(), c.whole.size() + c.touching.size()) << blocks;
    EXPECT_LT(*all.rbegin(), blocks);
    EXPECT_GT(c.instructions_a_block, 0u);
  }
}

TEST(TraceChoice, BlocksThatWaitForOthersInTheirOrder) {
  const traced_choice c = choose_blocks(1000, 132, 4, true);
  for (std::size_t i = 0; i < c.whole.size(); ++i) EXPECT_EQ(c.whole[i], i);
}

}  // namespace
}  // namespace bankwise::timing
