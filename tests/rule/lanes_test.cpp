// Tests sets of lanes, which are represented by masks.
#include "bankwise/lanes.hpp"

#include <gtest/gtest.h>

namespace bankwise {
namespace {

// The examples in lanes.hpp.
static_assert(lane_range(8, 8) == 0x0000ff00u);
static_assert(has_lane(0xff00u, 9) && !has_lane(0xff00u, 7));
static_assert(count_lanes(0xff00u) == 8);

TEST(Lanes, AreCountedOneByOne) {
  u32 mask = 1;
  for (int n = 0; n < 10000; ++n) {
    mask = mask * 1664525u + 1013904223u;
    u32 count = 0;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) count += has_lane(mask, lane) ? 1 : 0;
    ASSERT_EQ(count_lanes(mask), count) << mask;
  }
  EXPECT_EQ(count_lanes(0), 0u);
  EXPECT_EQ(count_lanes(full_mask), 32u);
}

TEST(Lanes, OfARangeAreThoseInIt) {
  for (u32 first = 0; first < lanes_per_warp; ++first)
    for (u32 count = 0; first + count <= lanes_per_warp; ++count)
      for (u32 lane = 0; lane < lanes_per_warp; ++lane)
        ASSERT_EQ(has_lane(lane_range(first, count), lane), lane >= first && lane < first + count);
}

// Every mask for data has only ones or only zeros. Loops over lanes combine values with these masks instead of
// branching.
TEST(Lanes, AsDataAreAllOnesOrNothing) {
  const detail::lane_masks on(0x80000005u);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    EXPECT_EQ(on.at[lane], lane == 0 || lane == 2 || lane == 31 ? full_mask : 0u) << lane;
}

}  // namespace
}  // namespace bankwise
