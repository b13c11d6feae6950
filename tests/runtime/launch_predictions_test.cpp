// Tests which launches of a program are predicted, and which predicted times the remaining launches get.
#include "runtime/launch/launch_predictions.hpp"

#include <gtest/gtest.h>

#include "runtime/clock/clock_costs.hpp"

namespace bankwise::cuda {
namespace {

using std::chrono::seconds;

emulate::launch launch_of(const cubin::kernel& k, std::uint32_t blocks) {
  emulate::launch l;
  l.kernel = &k;
  l.grid = {blocks, 1, 1};
  return l;
}

launch_report ran(std::uint64_t instructions, std::uint64_t wavefronts = 100) {
  launch_report r;
  r.sum.warp_instructions = instructions;
  r.sites.emplace_back().wavefronts = wavefronts;
  return r;
}

launch_report predicted(launch_report r, std::uint64_t cycles, std::uint64_t replayed = 0) {
  r.time.gpu = "H100 SXM";
  r.time.cycles = cycles;
  r.sites[0].saved_cycles = cycles / 2;
  r.prediction_instructions = replayed;
  return r;
}

// A trace in which each of two instructions is executed as often as given.
timing::launch_trace trace_of(std::uint32_t first, std::uint32_t second) {
  timing::launch_trace t;
  t.code = {{0, 0, 0}, {16, 0, 0}};
  timing::traced_warp& w = t.blocks.emplace_back().warps.emplace_back();
  for (std::uint32_t n = 0; n < first; ++n) w.runs.push_back({.code = 0, .count = 1});
  for (std::uint32_t n = 0; n < second; ++n) w.runs.push_back({.code = 1, .count = 1});
  return t;
}

// Runs a launch as the stand-in does. Returns its cycles, or 0 if it has no time. `cycles`: the time if it is predicted.
std::uint64_t run(launch_predictions& p, const emulate::launch& l, launch_report r, std::uint64_t cycles,
                  std::uint64_t replayed = 0, const timing::launch_trace* trace = nullptr) {
  launch_work w = work_of(r);
  const bool records = p.wants_record(l);
  if (records) add_executions(w, trace != nullptr ? *trace : trace_of(1000, 0));
  const bool is_predicted = records && p.wants(l, w) != predicted_part::none;
  if (is_predicted) r = predicted(std::move(r), cycles, replayed);
  p.complete(l, w, is_predicted, records, r);
  return r.time.cycles;
}

TEST(LaunchPredictions, EqualWorkIsPredictedOnce) {
  const cubin::kernel k;
  launch_predictions p;
  const emulate::launch l = launch_of(k, 4);
  EXPECT_EQ(run(p, l, ran(1000), 500), 500u);
  EXPECT_EQ(run(p, l, ran(1000), 600), 500u);
  EXPECT_EQ(run(p, launch_of(k, 5), ran(1000), 700), 700u) << "a launch with a different grid is predicted again";
  launch_report third = ran(1000);
  p.complete(l, work_of(third), false, false, third);
  EXPECT_EQ(third.sites[0].saved_cycles, 250u);
}

TEST(LaunchPredictions, OtherWorkIsPredictedItself) {
  const cubin::kernel k;
  launch_predictions p;
  const emulate::launch l = launch_of(k, 4);
  EXPECT_EQ(run(p, l, ran(1000), 500), 500u);
  EXPECT_EQ(run(p, l, ran(9000), 4000), 4000u) << "more instructions";
  EXPECT_EQ(run(p, l, ran(8900), 4100), 4000u);
  EXPECT_EQ(run(p, l, ran(1000, 3200), 2000), 2000u) << "as many instructions, with more wavefronts";
  EXPECT_EQ(run(p, l, ran(1000), 501), 500u) << "as the first launch";
  const timing::launch_trace other = trace_of(500, 500);
  EXPECT_EQ(run(p, l, ran(1000), 900, 0, &other), 900u) << "as many instructions, but not the same ones";
}

TEST(LaunchPredictions, AnotherWaitIsOtherWork) {
  launch_work a, b;
  a.instructions = b.instructions = 1000;
  EXPECT_TRUE(is_like(a, b));
  a.waited = 1000000, b.waited = 2000000;
  EXPECT_FALSE(is_like(a, b));
  b.waited = 1010000;
  EXPECT_TRUE(is_like(a, b));
  a.sleep_key = 1;  // nobody knows how long the launches sleep, so their parameters are compared
  EXPECT_FALSE(is_like(a, b));
  a.executed = b.executed = {{0, 100}, {16, 0}};
  a.slept = b.slept = 5000;
  EXPECT_TRUE(is_like(a, b));
  b.slept = 50000;
  EXPECT_FALSE(is_like(a, b));
}

TEST(LaunchPredictions, OtherWorkWithoutRecordHasNoTime) {
  const cubin::kernel k;
  launch_predictions p;
  const emulate::launch l = launch_of(k, 4);
  EXPECT_EQ(run(p, l, ran(1000), 500), 500u);
  launch_report r = ran(9000);
  p.complete(l, work_of(r), false, false, r);
  EXPECT_EQ(r.time.cycles, 0u);
  EXPECT_EQ(r.time_missing, unpredicted::other_work);
  EXPECT_TRUE(p.wants_record(l)) << "the next launch may do the same";
}

TEST(LaunchPredictions, FewEqualLaunchesAreRecorded) {
  const cubin::kernel k;
  launch_predictions p;
  emulate::launch l = launch_of(k, 4);
  const timing::launch_trace large = trace_of(3'000'000, 0);
  unsigned recorded = 0;
  for (unsigned n = 0; n < 100; ++n) {
    recorded += p.wants_record(l);
    EXPECT_EQ(run(p, l, ran(3'000'000), 500, 0, &large), 500u);
  }
  EXPECT_LE(recorded, 4u);
  EXPECT_GE(recorded, 2u) << "the data may change the work";
  l.parameters = {std::byte{1}};
  EXPECT_TRUE(p.wants_record(l)) << "new parameters may change the work";
}

// The first launch of a kernel gets all. In the second half of the limit, other shapes get the time alone.
TEST(LaunchPredictions, SavingsAreTheFirstThingThatIsLeftOut) {
  const cubin::kernel k, other;
  launch_predictions p;
  const auto wanted = [&](const cubin::kernel& of, std::uint32_t blocks) {
    return p.wants(launch_of(of, blocks), work_of(ran(1000)));
  };
  EXPECT_EQ(wanted(k, 1), predicted_part::savings);
  run(p, launch_of(k, 1), ran(1000), 500, 16'000'000);
  EXPECT_EQ(wanted(k, 2), predicted_part::time);
  EXPECT_EQ(wanted(other, 1), predicted_part::savings);
  run(p, launch_of(k, 2), ran(1000), 500, 16'000'000);
  EXPECT_EQ(wanted(other, 1), predicted_part::none);
}

// The timeline needs a time for each launch, also for those that are not predicted.
TEST(LaunchPredictions, TheTimelineScalesTheMostSimilarLaunchOfTheKernel) {
  constexpr double start = costs.empty_launch;
  const cubin::kernel k, other;
  launch_predictions p;
  const auto scaled = [&](const cubin::kernel& of, std::uint32_t blocks, std::uint64_t instructions) {
    launch_report r = ran(instructions);
    p.complete(launch_of(of, blocks), work_of(r), false, false, r);
    EXPECT_TRUE(!r.time.in_program || r.time.in_program->is_lower_bound);
    return r.time.in_program ? r.time.in_program->cold : 0;
  };
  launch_report first = predicted(ran(999'999), 500);
  first.time.in_program = time_in_program{.cold = start + 10'000, .warm = start + 5'000, .waves = 1};
  p.complete(launch_of(k, 100), work_of(first), true, true, first);
  EXPECT_NEAR(scaled(k, 100, 1'999'999), start + 20'000, 1) << "each block does twice as much";
  EXPECT_NEAR(scaled(k, 200, 1'999'999), start + 20'000, 1) << "two waves";
  EXPECT_NEAR(scaled(k, 50, 499'999), start + 10'000, 1) << "half of the multiprocessors, each as long";
  EXPECT_EQ(scaled(other, 100, 999'999), 0) << "nothing is known of this kernel";
}

TEST(LaunchPredictions, AllTogetherHaveALimit) {
  const cubin::kernel k;
  launch_predictions p;
  for (std::uint32_t n = 1; n <= 6; ++n) {
    const emulate::launch l = launch_of(k, n);
    EXPECT_EQ(p.wants_record(l), n <= 4) << n;
    EXPECT_EQ(run(p, l, ran(1000), 500, 9'000'000), n <= 4 ? 500u : 0u) << n;
  }
  launch_report r = ran(1000);
  p.complete(launch_of(k, 7), work_of(r), false, false, r);
  EXPECT_EQ(r.time_missing, unpredicted::total_limit);
  launch_predictions all(false);
  run(all, launch_of(k, 1), ran(1000), 500, 300'000'000);
  EXPECT_TRUE(all.wants_record(launch_of(k, 2))) << "--time-model all has no limit";
}

TEST(LaunchPredictions, LongProgramsHaveLonger) {
  const cubin::kernel k;
  launch_predictions p;
  run(p, launch_of(k, 1), ran(4'000'000'000), 500, 36'000'000);
  EXPECT_TRUE(p.wants_record(launch_of(k, 2))) << "predictions may take a hundredth of the launches' instructions";
}

TEST(LaunchPredictions, ALimitOfTheRunHoldsForPredictions) {
  const cubin::kernel k;
  launch_predictions p(true, seconds(4));
  run(p, launch_of(k, 1), ran(1000), 500, 1'500'000);
  EXPECT_FALSE(p.wants_record(launch_of(k, 2)));
}

}  // namespace
}  // namespace bankwise::cuda
