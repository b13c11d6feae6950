// Tests the choice of the warp that issues next.
#include "timing/multiprocessor/quarter.hpp"

#include <gtest/gtest.h>

#include <array>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

// Warps of one quarter, whose next instructions have these costs.
struct some_warps {
  gpu_parameters gpu;
  pipe_clocks clocks{gpu};
  quarters of{gpu};
  std::array<instruction_cost, 3> costs;
  std::array<running_warp, 3> warps;

  some_warps() {
    for (std::size_t i = 0; i < warps.size(); ++i) {
      warps[i].cost = &costs[i];
      warps[i].age = i;
      of.place(warps[i], 0);
    }
  }
};

TEST(Quarters, ABlockFillsAllQuarters) {
  some_warps w;
  EXPECT_NE(w.warps[0].home, w.warps[1].home) << "a warp goes to the quarter with the fewest warps";
  EXPECT_NE(w.warps[0].home, w.warps[2].home);
}

// A quarter with three warps.
struct one_quarter : some_warps {
  quarter q;
  one_quarter() {
    q.queue.leaves.assign(1, 0);
    for (running_warp& w : warps) q.warps.push_back(&w);
  }
  const running_warp* chosen() {
    q.choose(gpu, clocks);
    return q.next;
  }
};

TEST(Quarter, TheWarpThatIsReadyFirstIssues) {
  one_quarter o;
  o.warps[0].earliest = 30;
  o.warps[1].earliest = 20;
  o.warps[2].earliest = 40;
  EXPECT_EQ(o.chosen(), &o.warps[1]);
  EXPECT_EQ(o.q.next_at, 20);
  o.costs[1].pipe = pipe::alu;
  o.q.pipes.free_at(pipe::alu) = 35;
  EXPECT_EQ(o.chosen(), &o.warps[0]) << "the pipe of warp 1 is busy";
  o.costs[0].pipe = pipe::memory;
  o.q.queue.leave(50);
  EXPECT_EQ(o.chosen(), &o.warps[1]) << "the queue is full until clock 50";
}

TEST(Quarter, OfWarpsThatAreReadyTheLastOneStays) {
  one_quarter o;
  EXPECT_EQ(o.chosen(), &o.warps[2]) << "the youngest warp";
  o.q.last = &o.warps[1];
  EXPECT_EQ(o.chosen(), &o.warps[1]);
  o.q.may_stay = false;
  EXPECT_EQ(o.chosen(), &o.warps[2]);
  o.gpu.oldest_first = 1;
  EXPECT_EQ(o.chosen(), &o.warps[0]);
}

TEST(Quarter, WarpsThatWaitForOthersDoNotIssue) {
  one_quarter o;
  const mbarrier one;
  o.costs[2].pipe = pipe::memory;
  o.warps[2].waits = true;
  o.warps[1].tested = &one;
  EXPECT_EQ(o.chosen(), &o.warps[0]);
  o.costs[2].pipe = pipe::fma;
  EXPECT_EQ(o.chosen(), &o.warps[2]) << "a warp at a barrier may compute";
  o.q.remove(o.warps[2]);
  o.q.remove(o.warps[0]);
  EXPECT_EQ(o.chosen(), nullptr);
  EXPECT_EQ(o.q.next_at, quarter::never);
}

}  // namespace
}  // namespace bankwise::timing
