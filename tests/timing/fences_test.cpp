// Tests the clocks of memory fences.
#include "timing/multiprocessor/fences.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Fences, AFenceWaitsForL2) {
  const auto clocks = [](std::uint8_t scope) {
    small_launch l;
    l.add({.stall = 4, .write_barrier = 0, .does = behaviour::fence, .number = scope, .op = sass::opcode::MEMBAR});
    l.add({.stall = 4, .wait_mask = 1});
    return l.run(1, 100) / 100;
  };
  EXPECT_LT(clocks(0), 40) << "a fence with the scope of a block is fast";
  EXPECT_NEAR(clocks(2), gpu_parameters{}.fence_latency, 20);
  EXPECT_NEAR(clocks(3), gpu_parameters{}.system_fence_latency, 20);
  small_launch l;  // as in cluster.sync()
  l.add({.stall = 6, .does = behaviour::fence, .number = 2, .op = sass::opcode::MEMBAR});
  EXPECT_NEAR(l.run(1, 100) / 100, gpu_parameters{}.fence_latency, 20)
      << "without a scoreboard, the fence itself makes the warp wait";
}

TEST(Fences, WhatOnlyOrdersAccessesHasItsOwnLatency) {
  unit_setup u({});
  u.setup.gpu.ordering_latency = 100;
  const instruction_cost fence{.does = behaviour::fence, .number = 2, .op = sass::opcode::MEMBAR};
  instruction_cost of_all = fence;
  of_all.remaining = 1;  // MEMBAR.ALL
  EXPECT_EQ(fence_clocks(fence, u.setup), u.setup.gpu.fence_latency);
  EXPECT_EQ(fence_clocks(of_all, u.setup), 100);
}

}  // namespace
}  // namespace bankwise::timing
