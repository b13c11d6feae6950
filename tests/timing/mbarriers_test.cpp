// Tests waits for arrivals and copies at mbarriers.
#include "timing/multiprocessor/mbarriers.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

// A warp whose only instruction tests the mbarrier at address 64, after it has seen `seen` arrivals.
struct tester : unit_setup {
  quarters of{setup.gpu};
  stall_counter stalls{1};
  mbarriers unit{setup, of, stalls};
  resident_block block;
  running_warp warp;

  explicit tester(std::uint64_t seen) : unit_setup({{.op = sass::opcode::SYNCS_PHASECHK}}) {
    trace.lines = {64 | seen << 32};
    trace.accesses = {{.code = 0, .space = memory_space::mbarrier, .lines = 1}};
    add_warp();
    trace.blocks[0].warps[0].runs[0].accesses = 1;
    warp.trace = &trace.blocks[0].warps[0];
    warp.block = &block;
    block.warps.push_back(&warp);
  }
};

TEST(Mbarriers, AWarpWaitsForAllArrivalsBeforeItsTest) {
  tester t(2);
  t.unit.arrive_at(t.block, 64, 500);
  t.unit.await(t.warp);
  EXPECT_NE(t.warp.tested, nullptr) << "one arrival is missing";
  t.unit.arrive_at(t.block, 128, 600);
  EXPECT_NE(t.warp.tested, nullptr) << "this is another mbarrier";
  t.unit.arrive_at(t.block, 64, 400);
  EXPECT_EQ(t.warp.tested, nullptr);
  EXPECT_EQ(t.warp.earliest, 500) << "both have arrived at clock 500";
  EXPECT_EQ(t.stalls.take()[0].by_reason[static_cast<std::size_t>(stall_reason::long_scoreboard)], 500);
}

TEST(Mbarriers, AWarpThatComesLateDoesNotWait) {
  tester t(1);
  t.unit.arrive_at(t.block, 64, 500);
  t.unit.arrive_at(t.block, 64, 900);
  t.warp.earliest = 700;
  t.unit.await(t.warp);
  EXPECT_EQ(t.warp.tested, nullptr);
  EXPECT_EQ(t.warp.earliest, 700) << "the second arrival is for the next phase";
}

// A ring with one stage more: the warp waits for what its test before waited for, which is nothing at first.
TEST(Mbarriers, WithMoreStagesAWarpWaitsForAnEarlierArrival) {
  tester t(2);
  const std::vector<code_change> changes{{.stages = 1, .ring = 1}};
  t.setup.changes = &changes;
  t.unit.await(t.warp);
  EXPECT_EQ(t.warp.tested, nullptr);
  t.unit.arrive_at(t.block, 64, 500);
  t.trace.lines = {64 | std::uint64_t{3} << 32};  // the next test
  t.unit.await(t.warp);
  EXPECT_NE(t.warp.tested, nullptr);
  t.unit.arrive_at(t.block, 64, 800);
  EXPECT_EQ(t.warp.tested, nullptr) << "the third arrival is not needed";
  EXPECT_EQ(t.warp.earliest, 800);
}

TEST(Mbarriers, ALoopWithATestIsKnown) {
  tester t(1);
  EXPECT_TRUE(t.unit.is_in_loop(t.warp));
  t.costs[0].op = sass::opcode::ARRIVES;
  EXPECT_FALSE(t.unit.is_in_loop(t.warp));
}

TEST(Mbarriers, TellWhetherTheLastArrivalIsACopy) {
  mbarrier m;
  m.arrive(100);
  m.arrive(300, true);
  m.arrive(200);
  m.arrive(400);
  EXPECT_EQ(m.by_copy, (std::vector<bool>{false, true, true, false}));
  tester t(2);
  t.unit.await(t.warp);
  t.unit.arrive_at(t.block, 64, 100);
  t.unit.arrive_at(t.block, 64, 500, true);
  ASSERT_EQ(t.warp.copy_waits.size(), 1U);
  EXPECT_EQ(t.warp.copy_waits[0].until, 500);
}

}  // namespace
}  // namespace bankwise::timing
