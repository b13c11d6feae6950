// Tests compute capability 1.x: the minimum number of steps, and an order of the lanes with this number of steps.
#include "bankwise/one_broadcast.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace bankwise {
namespace {

struct phase_of_lanes {
  detail::word_list list;
  u32 steps = 0;

  explicit phase_of_lanes(std::initializer_list<u32> words) {
    u32 address[lanes_per_warp] = {}, lanes = 0;
    for (const u32 word : words) address[lanes++] = word * 4;
    list.add(tesla_model(), address, lane_range(0, lanes), 0, 4, true, 0);
    steps = detail::one_broadcast_steps(list.at, list.count, tesla_model().banks);
    detail::schedule_one_broadcast(list, 0, steps, tesla_model().banks);
  }
};

// Tests the example in one_broadcast.hpp.
TEST(OneBroadcast, AWordForManyAndALaneOfEveryOtherBank) {
  const phase_of_lanes p{0, 0, 16, 1};
  EXPECT_EQ(p.steps, 2u);
  u32 turns[4] = {};
  for (u32 i = 0; i < p.list.count; ++i)
    for (u32 lane = 0; lane < 4; ++lane)
      if (has_lane(p.list.at[i].lanes, lane)) turns[lane] = p.list.at[i].turn;
  EXPECT_EQ(turns[0], turns[1]);
  EXPECT_NE(turns[0], turns[2]);
}

// Every lane is served once. A step serves all lanes that access one chosen word. It also serves one lane in each of
// the other banks.
TEST(OneBroadcast, ASchedulesStepsAreWhatAStepCanServe) {
  u32 seed = 1;
  for (int n = 0; n < 2000; ++n) {
    u32 words[16];
    for (u32& w : words) w = (seed = seed * 1664525u + 1013904223u) >> 16 & (n % 2 == 0 ? 63u : 7u);
    phase_of_lanes p({});
    u32 address[lanes_per_warp] = {};
    for (u32 lane = 0; lane < 16; ++lane) address[lane] = words[lane] * 4;
    p.list.add(tesla_model(), address, 0xffff, 0, 4, true, 0);
    const u32 steps = detail::one_broadcast_steps(p.list.at, p.list.count, 16);
    detail::schedule_one_broadcast(p.list, 0, steps, 16);
    u32 served = 0;
    for (u32 i = 0; i < p.list.count; ++i) {
      ASSERT_EQ(served & p.list.at[i].lanes, 0u);
      served |= p.list.at[i].lanes;
      ASSERT_LT(p.list.at[i].turn, steps);
    }
    ASSERT_EQ(served, 0xffffu);
    for (u32 step = 0; step < steps; ++step) {
      u32 broadcasts = 0, busy = 0;
      for (u32 i = 0; i < p.list.count; ++i) {
        const want& w = p.list.at[i];
        if (w.turn != step) continue;
        broadcasts += count_lanes(w.lanes) > 1 ? 1 : 0;
        ASSERT_FALSE(has_lane(busy, w.bank));
        busy |= 1u << w.bank;
      }
      ASSERT_LE(broadcasts, 1u);
    }
  }
}

}  // namespace
}  // namespace bankwise
