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

TEST(Multiprocessor, SleepsAsLongAsItIsTold) {
  small_launch l;
  l.add({.stall = 1, .does = behaviour::sleep, .sleeps = 1000});
  EXPECT_NEAR(l.run(4, 11), 10 * 1000 * gpu_parameters{}.sm_clock, 200);
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

}  // namespace
}  // namespace bankwise::timing
