// Tests short sequences of instructions whose clocks follow from known properties of the hardware.
#include "timing/multiprocessor/multiprocessor.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Multiprocessor, WavefrontsCanBeChangedByInstruction) {
  const auto cycles_with = [](const std::vector<code_change>* changes) {
    small_launch l;
    l.add(lds(7, 0));
    l.accesses = {{.code = 0, .wavefronts = 32}};
    l.changes = changes;
    return l.run(8, 200);
  };
  const std::vector<code_change> as_it_is{{1}}, half{{0.5F}}, none{{0}};
  EXPECT_EQ(cycles_with(nullptr), cycles_with(&as_it_is));
  EXPECT_NEAR(cycles_with(&half), cycles_with(nullptr) / 2, 100);
  EXPECT_NEAR(cycles_with(&none), 8 * 200, 40)
      << "an access takes at least one wavefront, and the last accesses wait in queues";
}

TEST(Multiprocessor, ExecutionsCanBeLeftOut) {
  const auto cycles_with = [](float part, instruction_cost c) {
    const std::vector<code_change> changes{{.executed = part}};
    small_launch l;
    l.add(c);
    l.changes = &changes;
    return l.run(1, 200);
  };
  EXPECT_NEAR(cycles_with(1, ffma(10)), 200 * 10, 20);
  EXPECT_NEAR(cycles_with(0.25F, ffma(10)), 50 * 10, 20);
  EXPECT_LT(cycles_with(0, ffma(10)), 20);
  instruction_cost jump = ffma(10);
  jump.does = behaviour::jump;
  EXPECT_EQ(cycles_with(0, jump), cycles_with(1, jump)) << "the path of a warp does not change";
}

TEST(Multiprocessor, AnEarlyLoadWasRequestedOneExecutionBefore) {
  const auto cycles_with = [](bool is_early) {
    const std::vector<code_change> changes{{.is_early = is_early}, {}};
    small_launch l;
    l.add(lds(0, 0));
    l.add({.stall = 100, .wait_mask = 1, .pipe = pipe::alu, .interval = 2});
    for (std::uint64_t i = 0; i < 4; ++i) l.trace.lines.push_back((i + 7) << 4 | 15);
    l.accesses = {{.code = 0, .space = memory_space::global, .wavefronts = 4, .lines = 4}};
    l.costs[0].past_l1 = true;
    l.changes = &changes;
    return l.run(1, 200);
  };
  const double latency = gpu_parameters().l2_latency;
  EXPECT_GT(cycles_with(false), 200 * (100 + latency / 2)) << "each round waits";
  EXPECT_LT(cycles_with(true), 0.7 * cycles_with(false)) << "a round waits while the next load is in flight";
}

TEST(Multiprocessor, SleepsAsLongAsItIsTold) {
  small_launch l;
  l.add({.stall = 1, .does = behaviour::sleep, .sleeps = 1000});
  EXPECT_NEAR(l.run(4, 11), 10 * 1000 * gpu_parameters{}.sm_clock, 200);
}

TEST(Multiprocessor, SleepsAsLongAsTheRegisterTold) {
  small_launch l;
  l.add({.stall = 1, .does = behaviour::sleep});
  l.accesses = {{.code = 0, .space = memory_space::sleep, .lines = 1}};
  l.trace.lines = {2000};
  EXPECT_NEAR(l.run(1, 11), 10 * 2000 * gpu_parameters{}.sm_clock, 100);
}

// "8 kernels of 2^21 that trigger last" (data/sm_90/overlap_times.csv)
TEST(Multiprocessor, PassesOnTheTriggersOfWarpsOneAfterAnother) {
  small_launch l;
  l.add({.stall = 1, .does = behaviour::trigger});
  const double one = l.run(1, 1), many = l.run(16, 1);
  EXPECT_GE(many - one, 15 * gpu_parameters().trigger_interval - 20);
}

TEST(Multiprocessor, ObeysStallsOfAChain) {
  small_launch l;
  l.add(ffma(4));
  EXPECT_NEAR(l.run(1, 1000), 4000, 10);
}

TEST(Multiprocessor, IssuesOneInstructionAClockAndQuarter) {
  small_launch l;
  l.add(ffma(1));
  EXPECT_NEAR(l.run(4, 1000), 1000, 10) << "each quarter has one warp";
  small_launch more;
  more.add(ffma(4));
  EXPECT_NEAR(more.run(16, 1000), 4000, 20) << "four warps in a quarter fill each other's stalls";
}

// Among the warps of a block, a quarter takes the path in each round of a loop: first the first ones, then the next ones.
TEST(CodeChange, ARoundOfAPathIsExecutedAsAWhole) {
  const code_change c{.executed = 0.25F, .rounds_of = 1};
  changes_of_warp w;
  EXPECT_FALSE(w.leaves_out_round(c, 0.1));
  EXPECT_TRUE(w.leaves_out_round(c, 0.3));
  w.rounds[1] = 1;
  EXPECT_TRUE(w.leaves_out_round(c, 0.1));
  EXPECT_FALSE(w.leaves_out_round(c, 0.3));
}

}  // namespace
}  // namespace bankwise::timing
