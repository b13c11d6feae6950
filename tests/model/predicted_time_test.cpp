// Tests the predicted time of several launches that run one after another.
#include "model/time/predicted_time.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace bankwise {
namespace {

predicted_time some_time(std::uint64_t cycles, const char* bound, unsigned percent) {
  predicted_time t;
  t.gpu = "H100 SXM";
  t.cycles = cycles;
  t.cycles_low = cycles - 10;
  t.cycles_high = cycles + 10;
  t.nanoseconds = cycles / 2;
  t.bound = bound;
  t.shares = {{bound, percent}};
  t.waits.by_reason = {{"wait", cycles}};
  t.lines = {{"a.cu", 7, t.waits}};
  return t;
}

TEST(PredictedTime, LaunchesAddUp) {
  predicted_time t = some_time(1000, "dram", 60);
  predicted_time longer = some_time(3000, "issue", 40);
  longer.cycles_without_conflicts = 2000;
  longer.lines[0].line = 9;
  t += longer;
  EXPECT_EQ(t.cycles, 4000u);
  EXPECT_EQ(t.cycles_low, 3980u);
  EXPECT_EQ(t.nanoseconds, 2000u);
  EXPECT_EQ(t.cycles_without_conflicts, 3000u) << "the first launch saves nothing";
  EXPECT_EQ(t.bound, "issue") << "issue limits the longer launch, and takes 30% of both launches";
  EXPECT_EQ(t.shares[0], (std::pair<std::string, unsigned>("issue", 30)));
  EXPECT_EQ(t.shares[1].second, 15u);
  EXPECT_EQ(t.waits.sum(), 4000u);
  ASSERT_EQ(t.lines.size(), 2u);
  EXPECT_EQ(t.lines[0].line, 9u) << "the line with the most cycles is first";
}

TEST(PredictedTime, WhatTheLaunchesNeedAddsUp) {
  predicted_time a = some_time(1000, "dram", 60), b = some_time(3000, "issue", 40);
  a.use = {{"dram", 60}};
  EXPECT_DOUBLE_EQ(above_floor(a), 0.4) << "the busiest resource, if it is not known what the launch needs";
  a.needed = {.cycles = 500, .read_bytes = 100};
  EXPECT_DOUBLE_EQ(above_floor(a), 0.5);
  EXPECT_DOUBLE_EQ(idle_part(a), 0.4);
  predicted_time busy = a;
  busy.use = {{"issue", 10}, {"l1", 60}, {"l2", 35}};
  EXPECT_DOUBLE_EQ(idle_part(busy, "issue l2 dram"), 0.65);
  b.needed = {.cycles = 2500, .written_bytes = 50, .is_estimated = true, .is_arithmetic = true};
  predicted_time sum = a;
  sum += b;
  sum *= 2;
  EXPECT_EQ(sum.needed, (needed_work{6000, 200, 100, true, true}));
  EXPECT_DOUBLE_EQ(above_floor(sum), 0.25);
  b.needed = {};
  a += b;
  EXPECT_FALSE(a.needed) << "what one of the launches needs is not known";
}

TEST(PredictedTime, DelaysOfOnePlaceAddUp) {
  const auto with_delays = [](std::vector<delay> list) {
    predicted_time t = some_time(1000, "latency", 60);
    t.delays = std::move(list);
    return t;
  };
  const auto at = [](std::uint32_t line, std::uint64_t saved) {
    delay d{.is = delay_kind::late_loads, .saved_cycles = saved};
    d.place.file = "a.cu";
    d.place.line = line;
    return d;
  };
  predicted_time t = with_delays({at(7, 300), at(8, 200)});
  t += with_delays({at(8, 250)});
  ASSERT_EQ(t.delays.size(), 2U);
  EXPECT_EQ(t.delays[0], at(8, 450)) << "the largest saving is first";
  EXPECT_EQ(t.delays[1], at(7, 300));
  t *= 3;
  EXPECT_EQ(t.delays[0].saved_cycles, 1350U);
}

TEST(PredictedTime, UseIsTheMeanOverTheCycles) {
  predicted_time t = some_time(1000, "latency", 60);
  t.use = {{"sm", 20}, {"memory", 40}, {"l1", 30}, {"dram", 40}};
  t.traced_blocks = 3;
  predicted_time longer = some_time(3000, "data_stage", 40);
  longer.use = {{"sm", 40}, {"memory", 80}, {"l1", 80}, {"dram", 0}};
  longer.traced_blocks = 4;
  longer.traced_in_part = true;
  predicted_time same = longer;
  same += longer;
  EXPECT_EQ(same.use, longer.use);
  EXPECT_EQ(same.bound, "data_stage") << "the same resource limits both launches, so it limits the sum";
  t += longer;
  EXPECT_EQ(percent_of(t.use, "sm"), 35u);
  EXPECT_EQ(percent_of(t.use, "dram"), 10u);
  EXPECT_EQ(t.bound, "data_stage") << "the data stage is used for 68% of the cycles";
  EXPECT_EQ(t.traced_blocks, 7u);
  EXPECT_TRUE(t.traced_in_part);
  t += some_time(4000, "dram", 60);
  EXPECT_TRUE(t.use.empty()) << "a report of an earlier version has no use of resources";
  EXPECT_EQ(percent_of(t.use, "sm"), 0u);
}

TEST(PredictedTime, OneThatIsMissingLeavesNone) {
  predicted_time t = some_time(1000, "dram", 60);
  t += predicted_time();
  EXPECT_FALSE(t);
}

TEST(PredictedTime, EqualLaunchesAreTimesAsMany) {
  predicted_time t = some_time(1000, "dram", 60);
  t *= 3;
  EXPECT_EQ(t.cycles, 3000u);
  EXPECT_EQ(t.cycles_without_conflicts, 0u);
  EXPECT_EQ(t.lines[0].waits.sum(), 3000u);
  EXPECT_EQ(t.shares[0].second, 60u);
  EXPECT_EQ(nanoseconds_of(t, 1500), 750u);
}

// The resource with the highest use bounds a sum. Each unit of resources.def is therefore in the list of used resources.
TEST(PredictedTime, AnyUnitCanBoundASum) {
  constexpr std::pair<const char*, const char*> rows[] = {
#define RESOURCE(name, words, unit, busy, ...) {#name, #unit},
#include "model/time/resources.def"
  };
  for (const auto& [name, unit] : rows) {
    if (std::string_view(unit) == "none") continue;
    predicted_time t = some_time(1000, "launch", 60), more = some_time(1000, "latency", 60);
    t.use = more.use = {{"issue", 10}, {"pipes", 11}, {"l1", 12}, {"l2", 13}, {"dram", 14}};
    for (auto* one : {&t, &more})
      for (auto& [used, percent] : one->use)
        if (used == unit) percent = 90;
    t += more;
    EXPECT_EQ(t.bound, name);
  }
}

TEST(StallCycles, ReasonsAddUpAndStaySorted) {
  stall_cycles a{{{"wait", 5}, {"barrier", 4}}};
  a += stall_cycles{{{"barrier", 7}, {"selected", 1}}};
  EXPECT_EQ(a.by_reason.front(), (std::pair<std::string, std::uint64_t>("barrier", 11)));
  EXPECT_EQ(a.sum(), 17u);
  scale(a, 1, 2);
  EXPECT_EQ(a.by_reason.front().second, 5u);
}

}  // namespace
}  // namespace bankwise
