// Tests the reasons for which warps wait.
#include "timing/multiprocessor/stall_counter.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

double clocks_of(const multiprocessor_run& r, std::size_t code, stall_reason why) {
  return r.stalls.at(code).by_reason[static_cast<std::size_t>(why)];
}

TEST(Stalls, AChainWaitsForTheInstructionBefore) {
  small_launch l;
  l.add(ffma(4));
  const multiprocessor_run r = l.follow(1, 1000);
  EXPECT_NEAR(clocks_of(r, 0, stall_reason::wait), 3000, 10)
      << "an instruction takes one clock to issue, and waits for three clocks";
  EXPECT_NEAR(clocks_of(r, 0, stall_reason::selected), 1000, 1);
}

TEST(Stalls, AllClocksOfAWarpHaveAReason) {
  for (const unsigned warps : {1u, 4u, 9u}) {
    small_launch l;
    l.add(lds(0, 0));
    l.accesses = {{.code = 0, .wavefronts = 8}};
    l.add({.stall = 4, .wait_mask = 1, .pipe = pipe::fma, .interval = 2});
    const multiprocessor_run r = l.follow(warps, 300);
    double sum = 0;
    for (const stall_clocks& s : r.stalls)
      for (const double clocks : s.by_reason) sum += clocks;
    EXPECT_NEAR(sum, warps * r.cycles, 0.03 * warps * r.cycles) << warps;
  }
}

TEST(Stalls, WhoNeedsALoadWaitsForItsMemory) {
  small_launch shared;
  shared.add(lds(0, 0));
  shared.accesses = {{.code = 0, .wavefronts = 1}};
  shared.add({.stall = 4, .wait_mask = 1, .pipe = pipe::fma, .interval = 2});
  const multiprocessor_run r = shared.follow(1, 100);
  EXPECT_GT(clocks_of(r, 1, stall_reason::short_scoreboard), 1500);
  EXPECT_EQ(clocks_of(r, 1, stall_reason::long_scoreboard), 0);

  small_launch global;
  global.add(lds(0, 0));
  global.trace.lines = {16 * 7 + 15};
  global.accesses = {{.code = 0, .space = memory_space::global, .wavefronts = 1, .lines = 1}};
  global.add({.stall = 4, .wait_mask = 1, .pipe = pipe::fma, .interval = 2});
  const multiprocessor_run far = global.follow(1, 100);
  EXPECT_GT(clocks_of(far, 1, stall_reason::long_scoreboard), 1500);
  EXPECT_EQ(clocks_of(far, 1, stall_reason::short_scoreboard), 0);
}

TEST(Stalls, AFullQueueThrottles) {
  small_launch l;
  l.add(lds(7, 0));
  l.accesses = {{.code = 0, .wavefronts = 32}};
  const multiprocessor_run r = l.follow(8, 200);
  EXPECT_GT(clocks_of(r, 0, stall_reason::mio_throttle), 0.5 * 8 * r.cycles);
}

TEST(Stalls, WarpsWaitAtABarrierForTheLast) {
  small_launch l;
  l.add({.stall = 1, .pipe = pipe::none, .does = behaviour::barrier});
  l.add(ffma(4));
  l.add(lds(7, 0));
  l.accesses = {{.code = 2, .wavefronts = 1}};
  const multiprocessor_run r = l.follow(8, 100);
  EXPECT_GT(clocks_of(r, 2, stall_reason::barrier), 8 * 100 * 10)
      << "the wait for the barrier counts at the next access to memory";
  EXPECT_EQ(clocks_of(r, 1, stall_reason::barrier), 0) << "arithmetic does not wait for the barrier";
}

TEST(Stalls, InTheClockOfAnotherWarpAWarpIsNotSelected) {
  small_launch l;
  l.add(ffma(1));
  const multiprocessor_run r = l.follow(16, 300);
  EXPECT_EQ(clocks_of(r, 0, stall_reason::math_pipe_throttle), 0) << "the pipes accept an instruction in each clock";
  EXPECT_GT(clocks_of(r, 0, stall_reason::not_selected), 0.35 * 16 * r.cycles) << "the warps issue one after another";
  // The pipe is busy for two clocks. In one of these clocks, other warps can issue. The warp itself waits for both
  // clocks.
  small_launch half;
  half.add({.stall = 1, .pipe = pipe::alu, .interval = 2});
  const multiprocessor_run slow = half.follow(16, 300);
  const double parts =
      clocks_of(slow, 0, stall_reason::math_pipe_throttle) / clocks_of(slow, 0, stall_reason::not_selected);
  EXPECT_GT(parts, 1);
  EXPECT_LT(parts, 2);
}

TEST(Stalls, TheSpecialUnitGetsItsInstructionsThroughTheQueue) {
  small_launch l;
  l.add({.stall = 1, .pipe = pipe::special, .interval = 8});
  const multiprocessor_run r = l.follow(16, 300);
  EXPECT_GT(clocks_of(r, 0, stall_reason::mio_throttle), 0.5 * 16 * r.cycles);
  EXPECT_EQ(clocks_of(r, 0, stall_reason::math_pipe_throttle), 0);
}

TEST(StallCounter, AnotherWarpInThePipeCountsAsOneClockNotSelected) {
  stall_counter stalls(1);
  // The warp could issue at clock 10. The pipe was taken until clock 18, by four instructions of two clocks.
  stalls.add_issue({.code = 0, .throttle = stall_reason::math_pipe_throttle, .earliest = 10, .taken = 18, .turn = 2},
                   20);
  const stall_clocks s = stalls.take().at(0);
  const auto of = [&s](stall_reason r) { return s.by_reason[static_cast<std::size_t>(r)]; };
  EXPECT_EQ(of(stall_reason::math_pipe_throttle), 4);
  EXPECT_EQ(of(stall_reason::not_selected), 2 + 4) << "the pipe was free at clock 18, and the warp issued at clock 20";
  EXPECT_EQ(of(stall_reason::selected), 1);
}

TEST(StallCounter, GlobalMemoryHasItsOwnQueueAndScoreboard) {
  const instruction_cost load = lds(0, 0);
  const traced_access shared{.space = memory_space::shared}, global{.space = memory_space::global};
  EXPECT_EQ(throttle_of(load, &shared), stall_reason::mio_throttle);
  EXPECT_EQ(throttle_of(load, &global), stall_reason::lg_throttle);
  EXPECT_EQ(waited_for(load, &shared), stall_reason::short_scoreboard);
  EXPECT_EQ(waited_for(load, &global), stall_reason::long_scoreboard);
  EXPECT_EQ(waited_for({.does = behaviour::fence}, nullptr), stall_reason::membar);
}

}  // namespace
}  // namespace bankwise::timing
