// Tests the clocks of jumps and calls.
#include "timing/multiprocessor/branches.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Branches, JumpsCost) {
  small_launch l;
  l.add(ffma(4));
  l.add({.stall = 5, .does = behaviour::jump});
  EXPECT_NEAR(l.run(1, 500) / 500, 9, 0.1) << "this test does not include the redirect";
}

// Measured on an H100: a loop around a switch table takes 117 clocks with one target, and 75 clocks more for each further
// target. If four warps share a quarter, a round with eight targets takes 841 clocks.
TEST(Branches, IndirectBranchesTakeTurns) {
  const gpu_parameters gpu;
  const auto clocks = [](unsigned targets, unsigned warps) {
    small_launch l;
    l.add(ffma(4));
    l.add({.stall = 5, .pipe = pipe::branch, .does = behaviour::indirect});
    l.add(ffma(4));
    l.add({.stall = 5, .does = behaviour::jump});
    constexpr unsigned rounds = 200;
    l.rounds_of = [=](traced_warp& w) {
      for (unsigned n = 0; n < targets; ++n) {
        w.runs.push_back(n == 0 ? traced_run{.code = 0, .count = 2} : traced_run{.code = 1, .count = 1});
        w.runs.push_back({.code = 2, .count = 2});
      }
    };
    return l.run(warps, rounds) / rounds;
  };
  const double first = clocks(1, 1);
  EXPECT_NEAR(first, 4 + 5 + gpu.indirect_latency + 4 + 5, 1);
  EXPECT_NEAR(clocks(8, 1) - first, 7 * (5 + gpu.indirect_turn + 4 + 5), 2);
  const double busy = 8 * 4 * gpu.indirect_interval;
  EXPECT_GT(clocks(8, 16), busy);
  EXPECT_LT(clocks(8, 16), busy * 1.25);
}

TEST(Branches, AJumpCostsAndTheNextInstructionDoesNot) {
  const unit_setup u({{}, {}, {}, {}});
  branches b(u.setup);
  const traced_warp runs{{{.code = 0, .count = 2}, {.code = 2, .count = 1}, {.code = 0, .count = 2}}};
  running_warp w{.trace = &runs, .run = 1};
  const instruction_cost jump{.does = behaviour::jump};
  EXPECT_EQ(b.resolved(w, runs.runs[0], jump, 100, 90), 100) << "the warp continues with the next instruction";
  w.run = 2;
  EXPECT_EQ(b.resolved(w, runs.runs[1], jump, 100, 90), 100 + u.setup.gpu.branch_redirect);
}

TEST(Branches, CallsOfTheDriverRunOneAfterAnother) {
  unit_setup u({{}, {}});
  u.setup.active = 1;
  branches b(u.setup);
  const gpu_parameters& p = u.setup.gpu;
  const traced_warp runs{{{.code = 0, .count = 1}, {.code = 1, .count = 1}}};
  const running_warp w{.trace = &runs, .run = 1};
  const instruction_cost call{.does = behaviour::jump, .op = sass::opcode::CALL_ABS};
  EXPECT_EQ(b.resolved(w, runs.runs[0], call, 10, 0), p.supplied_latency);
  const double turn = p.supplied_turn + 31 * p.supplied_lane;
  for (int other = 0; other < 9; ++other) b.resolved(w, runs.runs[0], call, 10, 0);
  EXPECT_EQ(b.resolved(w, runs.runs[0], call, 10, 0), 11 * turn) << "ten other warps were first";
}

}  // namespace
}  // namespace bankwise::timing
