// Tests which launches of a program are predicted, and which predicted times the remaining launches get.
#include "runtime/launch/launch_predictions.hpp"

#include <gtest/gtest.h>

namespace bankwise::cuda {
namespace {

using std::chrono::seconds;

emulate::launch launch_of(const cubin::kernel& k, std::uint32_t blocks) {
  emulate::launch l;
  l.kernel = &k;
  l.grid = {blocks, 1, 1};
  return l;
}

launch_report ran(std::uint64_t instructions) {
  launch_report r;
  r.sum.warp_instructions = instructions;
  r.sites.emplace_back();
  return r;
}

launch_report predicted(std::uint64_t instructions, std::uint64_t cycles, std::uint64_t work = 0) {
  launch_report r = ran(instructions);
  r.time.gpu = "H100 SXM";
  r.time.cycles = cycles;
  r.sites[0].saved_cycles = cycles / 2;
  r.prediction_instructions = work;
  return r;
}

TEST(LaunchPredictions, AShapeIsPredictedOnce) {
  const cubin::kernel k;
  launch_predictions p;
  const emulate::launch l = launch_of(k, 4);
  ASSERT_TRUE(p.wants(l));
  launch_report first = predicted(1000, 500);
  p.complete(l, true, first);
  EXPECT_FALSE(p.wants(l));
  EXPECT_TRUE(p.wants(launch_of(k, 5))) << "a launch with a different grid is predicted again";

  launch_report second = ran(1000);
  p.complete(l, false, second);
  EXPECT_EQ(second.time.cycles, 500u);
  EXPECT_EQ(second.sites[0].saved_cycles, 250u);
}

TEST(LaunchPredictions, OtherWorkIsPredictedAgain) {
  const cubin::kernel k;
  launch_predictions p;
  const emulate::launch l = launch_of(k, 4);
  launch_report first = predicted(1000, 500);
  p.complete(l, true, first);
  launch_report longer = ran(9000);
  p.complete(l, false, longer);
  EXPECT_EQ(longer.time.cycles, 500u) << "the only predicted time";
  ASSERT_TRUE(p.wants(l)) << "the data change the amount of work, so the launch is predicted again";
  launch_report next = predicted(9000, 4000);
  p.complete(l, true, next);
  launch_report like_the_second = ran(8800);
  p.complete(l, false, like_the_second);
  EXPECT_EQ(like_the_second.time.cycles, 4000u);
}

TEST(LaunchPredictions, AllTogetherHaveALimit) {
  const cubin::kernel k;
  launch_predictions p;
  for (std::uint32_t n = 1; n <= 6; ++n) {
    const emulate::launch l = launch_of(k, n);
    const bool wanted = p.wants(l);
    EXPECT_EQ(wanted, n <= 4) << n;
    launch_report r = wanted ? predicted(1000, 500, 9'000'000) : ran(1000);
    p.complete(l, wanted, r);
    EXPECT_EQ(r.time_missing, wanted ? unpredicted::none : unpredicted::total_limit) << n;
  }
  launch_predictions all(false);
  launch_report r = predicted(1000, 500, 300'000'000);
  all.complete(launch_of(k, 1), true, r);
  EXPECT_TRUE(all.wants(launch_of(k, 2))) << "--time-model all has no limit";
}

TEST(LaunchPredictions, LongProgramsHaveLonger) {
  const cubin::kernel k;
  launch_predictions p;
  launch_report r = predicted(4'000'000'000, 500, 36'000'000);
  p.complete(launch_of(k, 1), true, r);
  EXPECT_TRUE(p.wants(launch_of(k, 2))) << "predictions may take a hundredth of the launches' instructions";
}

TEST(LaunchPredictions, ALimitOfTheRunHoldsForPredictions) {
  const cubin::kernel k;
  launch_predictions p(true, seconds(4));
  launch_report r = predicted(1000, 500, 1'500'000);
  p.complete(launch_of(k, 1), true, r);
  EXPECT_FALSE(p.wants(launch_of(k, 2)));
}

}  // namespace
}  // namespace bankwise::cuda
