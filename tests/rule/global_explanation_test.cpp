// Tests which lanes access which bytes of each sector. The sums equal the counts of the rule.
#include "bankwise/global_explanation.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bankwise {
namespace {

// Tests the example in global_explanation.hpp.
TEST(GlobalExplanation, SaysWhichLanesAskForWhichBytes) {
  const global_explanation e = explain(make_global_access(4, [](u32 lane) { return lane * 8; }));
  EXPECT_EQ(e.total.sectors, 8u);
  EXPECT_EQ(e.total.sectors_ideal, 4u);
  ASSERT_EQ(e.sectors, 8u);
  EXPECT_EQ(e.sector_at[1].sector, 1u);
  EXPECT_EQ(e.sector_at[1].lanes, 0xf0u);
  EXPECT_EQ(e.sector_at[1].bytes, 0x0f0f0f0fu);
  ASSERT_EQ(e.lines, 2u);
  EXPECT_EQ(e.line_at[0].lanes, 0xffffu);
  EXPECT_EQ(e.line_at[1].first_sector, 4u);
  EXPECT_EQ(e.line_at[1].sectors, 4u);
  EXPECT_EQ(e.used_in_part, 8u);
  EXPECT_EQ(e.distinct_bytes, 128u);
}

TEST(GlobalExplanation, IsEmptyWithoutLanes) {
  const global_explanation e = explain(make_global_access(
      4, [](u32 lane) { return lane * 4; }, 0));
  EXPECT_EQ(e.sectors + e.lines + e.distinct_bytes + e.used_in_part, 0u);
}

// This cp.async.cg copies the two halves of a sector to different sectors of shared memory.
TEST(GlobalExplanation, HasASectorTwiceThatIsMovedTwice) {
  global_access a = make_global_access(16, [](u32 lane) { return lane * 16; });
  a.past_l1 = true;
  EXPECT_EQ(explain(a).sectors, 16u);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) a.to[lane] = lane * 32;
  const global_explanation e = explain(a);
  EXPECT_EQ(e.sectors, 32u);
  EXPECT_EQ(e.sectors, cost_of(a).sectors);
  EXPECT_EQ(e.distinct_bytes, 512u);
}

TEST(GlobalExplanation, AddsUpToTheCost) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const u32 width = 1u << random() % 6, span = 64u << random() % 8, mask = static_cast<u32>(random() | random());
    const global_access a = make_global_access(
        width, [&](u32) { return u64{random() % span} * width; }, i % 5 == 0 ? static_cast<u32>(random()) & mask : mask);
    const global_explanation e = explain(a);
    const global_cost c = cost_of(a);
    ASSERT_EQ(e.sectors, c.sectors);
    ASSERT_EQ(e.lines, c.tag_requests);
    u32 lanes_of_sectors = 0, lanes_of_lines = 0, sectors = 0, bytes = 0;
    for (u32 k = 0; k < e.sectors; ++k) {
      ASSERT_EQ(lanes_of_sectors & e.sector_at[k].lanes, 0u);
      lanes_of_sectors |= e.sector_at[k].lanes;
      bytes += count_lanes(e.sector_at[k].bytes);
      if (k != 0) {
        ASSERT_LT(e.sector_at[k - 1].sector, e.sector_at[k].sector);
      }
    }
    for (u32 k = 0; k < e.lines; ++k) {
      lanes_of_lines |= e.line_at[k].lanes;
      ASSERT_EQ(e.line_at[k].first_sector, sectors);
      sectors += e.line_at[k].sectors;
    }
    ASSERT_EQ(lanes_of_sectors, a.mask);
    ASSERT_EQ(lanes_of_lines, a.mask);
    ASSERT_EQ(sectors, e.sectors);
    ASSERT_EQ(bytes, e.distinct_bytes);
  }
}

constexpr global_access in_a_row = make_global_access(4, [](u32 lane) { return lane * 4; });
BANKWISE_ASSERT_SECTORS(in_a_row, 4);

}  // namespace
}  // namespace bankwise
