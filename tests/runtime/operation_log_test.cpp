// Tests the timeline of a program: its operations, what they waited for, and the critical path.
#include "runtime/clock/operation_log.hpp"
#include "runtime/clock/clock_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/clock/program_clock.hpp"

namespace bankwise::cuda {
namespace {

constexpr unsigned long long a = 1, b = 2;

void launch(program_clock& c, unsigned long long stream, const char* kernel, double nanoseconds,
            bool is_predicted = true) {
  c.call_launch("launch", costs.call_launch);
  c.enter(stream, stream_kind::non_blocking, c.host());
  c.run_kernel({.on = device_part::multiprocessors,
                .nanoseconds = nanoseconds + costs.kernel_overlap,
                .what = {.name = kernel, .grid = {8, 1, 1}, .block = {32, 1, 1}, .bound = "latency"},
                .use = 0.1,
                .waves = 0.1},
               is_predicted);
}
void copy(program_clock& c, unsigned long long stream, double nanoseconds) {
  c.call(100, "copy");
  c.enter(stream, stream_kind::non_blocking, c.host());
  c.run({device_part::copies_to_device, nanoseconds, {.kind = timeline_kind::to_device, .name = "64 bytes"}});
}

std::uint64_t waits_for(const program_timeline& t, timeline_kind kind) {
  for (const timeline_part& p : t.waits)
    if (p.what.kind == kind) return p.nanoseconds;
  return 0;
}
const timeline_operation& find(const program_timeline& t, const std::string& name) {
  return *std::find_if(t.operations.begin(), t.operations.end(),
                       [&](const timeline_operation& o) { return o.what.name == name; });
}

program_clock with_log() {
  program_clock c;
  c.keep_log();
  return c;
}

TEST(OperationLog, ALongKernelIsTheCriticalPath) {
  program_clock c = with_log();
  launch(c, a, "short", 5'000);
  launch(c, b, "long", 90'000);
  c.await(c.end());
  const program_timeline t = c.timeline(100);
  EXPECT_EQ(t.nanoseconds, 2 * costs.call_launch + 90'000 + costs.wait_end);
  EXPECT_EQ(waits_for(t, timeline_kind::kernel), 90'000U);
  EXPECT_EQ(waits_for(t, timeline_kind::launch), 2 * costs.call_launch);
  EXPECT_EQ(waits_for(t, timeline_kind::wait), costs.wait_end);
  EXPECT_EQ(t.critical[0].what.name, "long");
  EXPECT_TRUE(find(t, "long").is_critical);
  EXPECT_FALSE(find(t, "short").is_critical);
  EXPECT_EQ(t.busy, 4'000U + 90'000U);  // `short` alone until `long` begins
}

TEST(OperationLog, TheHostIsTheCriticalPathOfShortKernels) {
  program_clock c = with_log();
  for (int i = 0; i < 50; ++i) launch(c, a, "nothing", costs.least_kernel);
  c.await(c.end());
  const program_timeline t = c.timeline(1000);
  EXPECT_EQ(t.waits[0].what.kind, timeline_kind::launch);
  EXPECT_EQ(t.waits[0].count, 50U);
  EXPECT_EQ(t.critical[0].nanoseconds, 50 * costs.call_launch);
  EXPECT_EQ(waits_for(t, timeline_kind::kernel), costs.least_kernel);
}

TEST(OperationLog, ThePartsOfTheCriticalPathAddUpToTheTime) {
  program_clock c = with_log();
  unsigned random = 1;
  const auto next = [&](unsigned below) { return (random = random * 1664525 + 1013904223) / 65536 % below; };
  for (int i = 0; i < 300; ++i) {
    const unsigned long long stream = next(4);
    if (next(3) == 0)
      copy(c, stream, 100 + next(30'000));
    else
      launch(c, stream, next(2) == 0 ? "one" : "two", 1000 + next(20'000));
    c.enter(next(4), stream_kind::non_blocking, c.host());
    if (next(4) == 0) c.wait(c.end_of(stream));
    if (next(20) == 0) c.await(c.end_of(next(4)));
    if (next(20) == 0) c.await(c.end_of(stream) - costs.wait_end);  // as after a copy of pageable memory
  }
  const program_timeline t = c.timeline(10'000);
  std::uint64_t sum = 0;
  for (const timeline_part& p : t.waits) sum += p.nanoseconds;
  EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(t.nanoseconds), 400);
  // An operation of the path begins when another one has ended.
  for (const timeline_operation& o : t.operations)
    if (o.is_critical && o.begin != 0 && o.what.kind != timeline_kind::wait) {
      EXPECT_TRUE(std::any_of(t.operations.begin(), t.operations.end(), [&](const timeline_operation& before) {
        return before.is_critical && before.end() <= o.begin + 1 &&
               o.begin <= before.end() + static_cast<std::uint64_t>(costs.stream_wait + costs.engine_change) + 1;
      })) << o.begin;
    }
}

TEST(OperationLog, AnOperationNamesItsCallAndWhatItAwaited) {
  program_clock c = with_log();
  copy(c, a, 50'000);
  c.enter(a, stream_kind::non_blocking, c.host());
  const moment recorded = c.record();
  c.enter(b, stream_kind::non_blocking, c.host());
  c.wait(recorded);
  launch(c, b, "after", 10'000);
  const program_timeline t = c.timeline(100);
  const timeline_operation& after = find(t, "after");
  ASSERT_EQ(after.after.size(), 1U);
  EXPECT_EQ(t.operations[after.after[0]].what.kind, timeline_kind::to_device);
  EXPECT_EQ(after.begin, t.operations[after.after[0]].end() + static_cast<std::uint64_t>(costs.stream_wait));
  ASSERT_TRUE(after.call);
  EXPECT_EQ(t.operations[*after.call].what.kind, timeline_kind::launch);
  EXPECT_LE(t.operations[*after.call].end(), after.begin);
}

TEST(OperationLog, BranchesOfAGraphHaveRowsOfTheirOwn) {
  program_clock c = with_log();
  c.call(costs.call_graph, "launch a graph", timeline_kind::launch);
  c.enter(a, stream_kind::non_blocking, c.host());
  const moment begin = c.begin_graph();
  moment last = begin;
  for (const char* name : {"left", "right"}) {
    c.begin_node(begin);
    c.run_kernel({.on = device_part::multiprocessors, .nanoseconds = 9'000, .what = {.name = name}, .waves = 0.1},
                 true);
    last = later(last, c.end_of_node());
  }
  c.end_graph(last);
  const program_timeline t = c.timeline(100);
  EXPECT_EQ(find(t, "left").stream, find(t, "right").stream);
  EXPECT_NE(find(t, "left").branch, find(t, "right").branch);
}

TEST(OperationLog, CountsLaunchesWithoutATime) {
  program_clock c = with_log();
  launch(c, a, "known", 1'000);
  launch(c, a, "unknown", 1'000, false);
  EXPECT_EQ(c.timeline(100).without_time, 1U);
}

TEST(OperationLog, CopiesAreNamedByTheirBytes) {
  program_clock c = with_log();
  for (const std::uint64_t bytes : {4'096U, 1U, 4'096U}) {
    c.enter(a, stream_kind::non_blocking, c.host());
    c.run({device_part::copies_to_device, 1000, {.kind = timeline_kind::to_device, .bytes = bytes}});
  }
  const program_timeline t = c.timeline(100);
  ASSERT_EQ(t.operations.size(), 3U);
  EXPECT_EQ(t.operations[0].what.name, "4,096 bytes");
  EXPECT_EQ(t.operations[1].what.name, "1 byte");
  EXPECT_EQ(t.operations[2].what, t.operations[0].what);
}

TEST(OperationLog, ALongListBecomesShorterAndKeepsItsTimes) {
  program_clock c = with_log();
  for (int i = 0; i < 5'000; ++i) launch(c, a, i % 7 == 0 ? "other" : "usual", 3'000);
  const program_timeline whole = c.timeline(100'000), shorter = c.timeline(200);
  EXPECT_EQ(whole.operations.size(), 10'000U);
  EXPECT_LE(shorter.operations.size(), 200U);
  EXPECT_GT(shorter.operations.size(), 20U);
  std::uint64_t count = 0;
  for (const timeline_operation& o : shorter.operations) count += o.count;
  EXPECT_EQ(count, 10'000U);
  EXPECT_EQ(shorter.busy, whole.busy);
  EXPECT_EQ(shorter.critical, whole.critical);
}

// On the row of the host, launches and waits alternate. With many streams, each row is short.
TEST(OperationLog, AnyLongListBecomesShorter) {
  program_clock waits = with_log();
  for (int i = 0; i < 5'000; ++i) {
    launch(waits, a, "usual", 3'000);
    waits.await(waits.end_of(a));
  }
  program_clock streams = with_log();
  for (unsigned long long stream = 1; stream <= 5'000; ++stream) launch(streams, stream, "usual", 3'000);
  for (program_clock* const c : {&waits, &streams}) {
    const program_timeline shorter = c->timeline(200);
    EXPECT_LE(shorter.operations.size(), 200U);
    EXPECT_FALSE(shorter.operations.empty());
    for (std::size_t i = 0; i < shorter.operations.size(); ++i) {
      const timeline_operation& o = shorter.operations[i];
      EXPECT_LT(o.call.value_or(0), shorter.operations.size());
      EXPECT_LE(o.end(), shorter.nanoseconds);
    }
  }
}

}  // namespace
}  // namespace bankwise::cuda
