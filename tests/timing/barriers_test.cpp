// Tests barriers of blocks.
#include "timing/multiprocessor/barriers.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Barriers, BarriersTakeThirteenClocksAndTwoAWarp) {
  for (const unsigned warps : {1u, 4u, 8u, 32u}) {
    small_launch l;
    l.add({.stall = 1, .does = behaviour::barrier});
    EXPECT_NEAR(l.run(warps, 200) / 200, 13 + 2 * warps, 3) << warps;
  }
}

// A block of two warps, and the barriers of its multiprocessor.
struct two_warps : unit_setup {
  quarters of{setup.gpu};
  stall_counter stalls{0};
  barriers unit{setup, of, stalls};
  resident_block block;
  running_warp a, b;

  explicit two_warps(std::vector<instruction_cost> code) : unit_setup(std::move(code)) {
    add_warp();
    for (running_warp* w : {&a, &b}) {
      w->trace = &trace.blocks[0].warps[0];
      w->block = &block;
      w->cost = &costs[0];
      block.warps.push_back(w);
    }
    block.alive = 2;
  }
};

constexpr instruction_cost barrier{.does = behaviour::barrier};

TEST(Barriers, OpenWhenTheLastWarpArrives) {
  two_warps t({lds(0, 0)});
  const gpu_parameters& p = t.setup.gpu;
  t.unit.arrive(barrier, t.a, 100);
  EXPECT_TRUE(t.a.waits);
  t.unit.arrive(barrier, t.b, 300);
  EXPECT_FALSE(t.a.waits);
  EXPECT_EQ(t.a.earliest, 300 + p.barrier_latency);
  EXPECT_EQ(t.b.opened, t.a.earliest) << "the last warp waits at a later instruction";
}

TEST(Barriers, TellHowLongWarpsWaitAndForWhich) {
  two_warps t({lds(0, 0)});
  t.setup.counts_stalls = true;
  for (const double begin : {0, 1000}) {
    t.unit.arrive(barrier, t.a, begin + 100);
    t.unit.arrive(barrier, t.b, begin + 300);
  }
  const std::vector<barrier_meetings> met = t.unit.take_meetings();
  ASSERT_EQ(met.size(), 1u);
  EXPECT_EQ(met[0].times, 2u);
  EXPECT_EQ(met[0].longest, 400) << "the first warp waits for 200 clocks each time";
  EXPECT_EQ(met[0].waited, 200) << "and the mean warp for 100";
  EXPECT_EQ(met[0].last, (std::map<std::uint32_t, std::uint64_t>{{1, 2}}));
}

TEST(Barriers, AWarpThatComputesWaitsLater) {
  two_warps t({ffma(1)});
  t.unit.arrive(barrier, t.a, 100);
  t.unit.arrive(barrier, t.b, 300);
  EXPECT_EQ(t.a.earliest, 0);
  EXPECT_EQ(t.a.opened, 300 + t.setup.gpu.barrier_latency);
}

TEST(Barriers, AnArrivalDoesNotWait) {
  two_warps t({lds(0, 0)});
  t.unit.arrive({.does = behaviour::arrival}, t.a, 100);
  EXPECT_FALSE(t.a.waits);
  t.unit.arrive(barrier, t.b, 300);
  EXPECT_FALSE(t.b.waits) << "the arrival counts";
}

TEST(Barriers, AWarpThatEndsIsNotMissed) {
  two_warps t({lds(0, 0)});
  t.unit.arrive(barrier, t.a, 100);
  t.block.alive = 1;
  t.unit.leave(t.block);
  EXPECT_FALSE(t.a.waits);
}

TEST(Barriers, HaveNumbersAndMayBeForSomeWarpsOnly) {
  two_warps t({lds(0, 0)});
  t.unit.arrive({.does = behaviour::barrier, .number = 1}, t.a, 100);
  t.unit.arrive({.does = behaviour::barrier, .number = 2, .remaining = 32}, t.b, 300);
  EXPECT_EQ(t.block.barriers[1].arrived, 1u);
  EXPECT_EQ(t.block.barriers[2].arrived, 0u) << "a barrier for 32 threads opens after one warp";
  EXPECT_TRUE(t.a.waits) << "it is at another barrier";
}

TEST(Barriers, GroupsOfAChangedSourceHaveBarriersOfTheirOwn) {
  two_warps t({lds(0, 0)});
  t.unit.arrive(barrier, t.a, 100, 2);
  EXPECT_TRUE(t.a.waits) << "both warps are one group";
  t.unit.arrive(barrier, t.b, 300, 2);
  EXPECT_FALSE(t.a.waits);
  t.unit.arrive(barrier, t.a, 400, 1);
  EXPECT_FALSE(t.a.waits) << "each warp is a group";
}

TEST(Barriers, AGroupDoesNotMissAWarpThatHasEnded) {
  two_warps t({lds(0, 0)});
  t.unit.arrive(barrier, t.b, 100, 2);
  t.a.has_ended = true;
  t.block.alive = 1;
  t.unit.leave(t.block);
  EXPECT_FALSE(t.b.waits);
}

// bar.sync %0, 32 with the number of the warp's group
TEST(Barriers, WithANumberInARegisterAreForWarpsNextToEachOther) {
  two_warps t({lds(0, 0)});
  t.unit.arrive({.does = behaviour::barrier, .number = named_by_register, .remaining = 32}, t.a, 100);
  EXPECT_FALSE(t.a.waits);
  t.unit.arrive({.does = behaviour::barrier, .number = named_by_register, .remaining = 64}, t.a, 200);
  EXPECT_TRUE(t.a.waits);
}

}  // namespace
}  // namespace bankwise::timing
