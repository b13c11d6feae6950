// Tests the scoreboards of a warp.
#include "timing/multiprocessor/scoreboards.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Scoreboards, WaitsForScoreboards) {
  small_launch l;
  l.add({.stall = 2, .write_barrier = 3, .pipe = pipe::special, .interval = 8, .latency = 40});
  l.add({.stall = 1, .wait_mask = 1 << 3});
  EXPECT_NEAR(l.run(1, 300) / 300, 41, 1);
}

TEST(Scoreboards, AMaskWaitsForTheLastOfItsResults) {
  scoreboards s;
  s.add(0, {100, stall_reason::long_scoreboard});
  s.add(0, {40, stall_reason::short_scoreboard});
  s.add(2, {70, stall_reason::short_scoreboard});
  EXPECT_EQ(s.drained(0b100).done, 70);
  const pending_result last = s.drained(0b111);
  EXPECT_EQ(last.done, 100);
  EXPECT_EQ(last.waits, stall_reason::long_scoreboard);
  EXPECT_EQ(s.drained(0b111).done, 0) << "the warp has waited for all results";
}

TEST(Scoreboards, AWaitMayLeaveResultsUnderWay) {
  scoreboards s;
  for (const double done : {30, 10, 20}) s.add(1, {done});
  EXPECT_EQ(s.drained_to(1, 3).done, 0);
  EXPECT_EQ(s.drained_to(1, 1).done, 20) << "at most one of the three results is under way";
  EXPECT_EQ(s.drained(0b10).done, 30);
}

TEST(Scoreboards, NoScoreboardTracksNothing) {
  scoreboards s;
  s.add(no_barrier, {100});
  EXPECT_EQ(s.drained(0xff).done, 0);
  EXPECT_EQ(s.drained_to(no_barrier, 0).done, 0);
}

}  // namespace
}  // namespace bankwise::timing
