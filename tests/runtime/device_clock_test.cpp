// Tests the timeline that events show: what runs one after the other, and what runs at the same time.
#include "runtime/clock/device_clock.hpp"

#include <gtest/gtest.h>

#include "runtime/clock/l2_contents.hpp"

namespace bankwise::cuda {
namespace {

constexpr unsigned long long a = 1, b = 2, legacy = 0;
const operation_name call{.kind = timeline_kind::call, .name = "call"};

timed_work kernel(double nanoseconds, double waves = 1, double use = 0) {
  return {device_part::multiprocessors, nanoseconds, {.name = "kernel"}, use, waves};
}
timed_work to_device(double nanoseconds) { return {device_part::copies_to_device, nanoseconds}; }
timed_work to_host(double nanoseconds) { return {device_part::copies_to_host, nanoseconds}; }

// Adds work to a stream at the host's current time. Returns when the stream has done it.
double add(device_clock& c, unsigned long long stream, const timed_work& w,
           stream_kind kind = stream_kind::non_blocking) {
  c.enter(stream, kind, c.host());
  c.run(w);
  return c.end_of(stream);
}

TEST(DeviceClock, OperationsOfAStreamFollowEachOther) {
  device_clock c;
  EXPECT_EQ(add(c, a, kernel(1000)), 1000);
  EXPECT_EQ(add(c, a, kernel(500)), 1500);
  EXPECT_EQ(add(c, b, to_device(500)), 500);
  EXPECT_EQ(add(c, b, to_device(100)), 600);
}

// "parts copied, computed and copied back in turn" (data/sm_90/overlap_times.csv)
TEST(DeviceClock, AKernelAndACopyOfAStreamAreApart) {
  device_clock c;
  EXPECT_EQ(add(c, a, kernel(1000)), 1000);
  EXPECT_EQ(add(c, a, to_device(500)), 1500 + costs.engine_change);
  EXPECT_EQ(add(c, a, kernel(100)), 1600 + 2 * costs.engine_change);
}

TEST(DeviceClock, AnOperationBeginsAfterItsCall) {
  device_clock c;
  c.call(300, call);
  EXPECT_EQ(add(c, a, kernel(1000)), 1300);
  c.call(5000, call);
  EXPECT_EQ(add(c, a, kernel(1000)), 6300);
}

TEST(DeviceClock, KernelsOverlapIfTheyFitTogether) {
  device_clock c;
  EXPECT_EQ(add(c, a, kernel(1000, 0.5)), 1000);
  EXPECT_EQ(add(c, b, kernel(1000, 0.5)), 1000);
  EXPECT_EQ(add(c, b, kernel(1000, 0.5)), 2000);
}

TEST(DeviceClock, KernelsThatNeedTheSameResourceSlowEachOther) {
  device_clock c;
  EXPECT_EQ(add(c, a, kernel(1000, 0.3, 1.05)), 1000);
  EXPECT_EQ(add(c, b, kernel(1000, 0.3, 0.5)), 2000);  // nothing is left for it until 1000
  device_clock half;
  EXPECT_EQ(add(half, a, kernel(1000, 0.3, 0.8)), 1000);
  EXPECT_EQ(add(half, b, kernel(1000, 0.3, 0.5)), 1500);  // it gets half of what it needs, until 1000
  EXPECT_EQ(add(half, 3, kernel(1000, 0.3, 0.7)), 2000);  // nothing until 1000, then it has what it needs
}

TEST(DeviceClock, AKernelThatFillsTheWholeDeviceRunsAlone) {
  device_clock c;
  EXPECT_EQ(add(c, a, kernel(1000)), 1000);
  EXPECT_EQ(add(c, b, kernel(1000)), 2000);
  EXPECT_EQ(add(c, b, kernel(1000, 0.1)), 3000);
}

TEST(DeviceClock, ASmallKernelFillsNoGapThatIsTooShort) {
  device_clock c;
  add(c, a, kernel(1000));                   // until 1000
  c.enter(b, stream_kind::non_blocking, 0);  // waits for an event at 1500
  c.wait(1500);
  c.run(kernel(1000));
  const double begin = 1500 + costs.stream_wait;
  EXPECT_EQ(c.end_of(b), begin + 1000);
  EXPECT_EQ(add(c, 3, kernel(begin - 1100)), begin - 100);
  EXPECT_EQ(add(c, 4, kernel(400)), begin + 1400);  // only 100 are free before
}

TEST(DeviceClock, EachDirectionOfCopiesHasItsEngine) {
  device_clock c;
  EXPECT_EQ(add(c, a, to_device(1000)), 1000);
  EXPECT_EQ(add(c, b, to_device(1000)), 2000);
  EXPECT_EQ(add(c, 4, kernel(1000)), 1000);
  EXPECT_EQ(add(c, 3, to_host(900)), 900 / costs.both_ways_part);
}

TEST(DeviceClock, ACopyFillsAGapBetweenTheCopiesOfAnotherStream) {
  device_clock c;
  for (int part = 0; part < 3; ++part) {
    add(c, a, to_device(1000));
    add(c, a, kernel(4000, 0.1));
  }
  const double change = costs.engine_change;
  EXPECT_EQ(c.end_of(a), 15'000 + 5 * change);
  EXPECT_EQ(add(c, b, to_device(1000)), 2000) << "while the first kernel runs";
  const double gap = 3000 + 2 * change;  // until the next copy
  EXPECT_EQ(add(c, b, to_device(gap + 500)), 6000 + 2 * change + gap + 500) << "too long for the gap";
  EXPECT_EQ(add(c, 3, to_device(1000)), 3000);
}

// Two copies of 8 MB take 178 us in both directions and 160 us in one (data/sm_90/event_times.csv).
TEST(DeviceClock, ACopyIsSlowerWhileTheOtherDirectionCopies) {
  device_clock c;
  add(c, a, to_device(1000));
  EXPECT_EQ(add(c, b, to_host(2000)), 1000 + 2000 - 1000 * costs.both_ways_part);
  c.call(3000, call);
  EXPECT_EQ(add(c, b, to_host(500)), 3500);
}

TEST(DeviceClock, AnOperationThatWaitsForAnotherStreamBeginsALittleLater) {
  device_clock c;
  add(c, a, kernel(5000, 0.1));
  c.enter(b, stream_kind::non_blocking, c.host());
  c.wait(c.end_of(a));
  c.run(kernel(1000, 0.1));
  EXPECT_EQ(c.end_of(b), 5000 + costs.stream_wait + 1000);
  c.call(9000, call);
  c.enter(3, stream_kind::non_blocking, c.host());
  c.wait(c.end_of(a));  // which has ended
  c.run(kernel(1000, 0.1));
  EXPECT_EQ(c.end_of(3), 10'000);
}

TEST(DeviceClock, AProgrammaticDependentLaunchBeginsBeforeTheEndOfTheKernelBeforeIt) {
  timed_work early = kernel(3000);
  early.begins_early = true;
  device_clock c;
  EXPECT_EQ(add(c, a, early), 3000) << "nothing is before it";
  EXPECT_EQ(add(c, a, early), 6000 - costs.early_begin);
  EXPECT_EQ(add(c, a, kernel(3000)), 9000 - costs.early_begin);
  add(c, a, to_device(1000));
  EXPECT_EQ(add(c, a, early), 13'000 - costs.early_begin + 2 * costs.engine_change) << "only kernels overlap";
  early.nanoseconds = 100;
  const double before = c.end_of(a);
  EXPECT_EQ(add(c, a, early), before) << "not before the kernel before it ends";
}

// "dependent kernels that trigger first and begin early" (data/sm_90/overlap_times.csv)
TEST(DeviceClock, ATriggerLetsTheNextKernelDoWhatItDoesBeforeItsWait) {
  constexpr double time = 10'000, until_wait = 4000;
  timed_work first = kernel(time, 0.1), second = kernel(time, 0.1);
  first.after_trigger = 9000;
  second.begins_early = true;
  second.until_wait = until_wait;
  device_clock c;
  add(c, a, first);
  EXPECT_EQ(add(c, a, second), 2 * time - costs.early_begin - until_wait);
  device_clock late;
  first.after_trigger = costs.trigger_begin + 1000;
  add(late, a, first);
  EXPECT_EQ(add(late, a, second), 2 * time - costs.early_begin - 1000) << "it begins after the trigger";
  device_clock full;
  first.waves = 1;
  add(full, a, first);
  EXPECT_EQ(add(full, a, second), 2 * time - costs.early_begin) << "its blocks find no room";
  device_clock busy;
  first.waves = 0.1;
  first.use = second.use = 1;
  add(busy, a, first);
  EXPECT_GT(add(busy, a, second), 2 * time - costs.early_begin - 300) << "both need the same resource";
}

TEST(DeviceClock, AKernelOfAGraphBeginsEarlyAfterTheOneBeforeIt) {
  timed_work early = kernel(3000, 0.1);
  early.begins_early = true;
  device_clock c;
  c.enter(a, stream_kind::non_blocking, 0);
  c.begin_node(c.begin_graph());
  c.run(early);
  EXPECT_EQ(c.end_of_node(), 3000);
  const instant first = c.end_of_node();
  c.begin_node(first);
  c.wait(first);  // as for each node on which it depends
  c.run(early);
  EXPECT_EQ(c.end_of_node(), 6000 - costs.early_node);
}

TEST(DeviceClock, TheProgramsOwnWorkDelaysItsCalls) {
  device_clock c;
  c.keep_log();
  c.work(20'000);
  c.work(-50);
  c.call(1000, call);
  EXPECT_EQ(add(c, a, kernel(500)), 21'500);
  const program_timeline t = c.log()->timeline(c.end(), 100);
  EXPECT_EQ(t.operations.front().what.name, "work of the program");
}

TEST(DeviceClock, TheDefaultStreamAndBlockingStreamsWaitForEachOther) {
  device_clock c;
  EXPECT_EQ(add(c, a, to_host(1000), stream_kind::blocking), 1000);
  EXPECT_EQ(add(c, legacy, kernel(1000), stream_kind::legacy_default), 2000);
  EXPECT_EQ(add(c, b, to_device(1000), stream_kind::blocking), 3000);
  EXPECT_EQ(add(c, 5, to_device(9), stream_kind::non_blocking), 10);  // the engine is free until 2000
  EXPECT_EQ(add(c, 6, to_host(10), stream_kind::non_blocking), 1010);
}

TEST(DeviceClock, AnEventHasTheTimeAtWhichItsStreamIsDone) {
  device_clock c;
  add(c, a, kernel(7000));
  c.enter(a, stream_kind::non_blocking, c.host());
  const double first = c.record();
  EXPECT_EQ(first, 7000 + costs.event_after_kernel);
  add(c, a, kernel(1000));
  c.enter(a, stream_kind::non_blocking, c.host());
  EXPECT_EQ(c.record() - first, costs.after_event + 1000 + costs.event_after_kernel);
  c.await(first);
  EXPECT_EQ(c.host(), first + costs.wait_end);
}

TEST(DeviceClock, OnlyTheFirstEventAfterAKernelIsLate) {
  device_clock c;
  add(c, a, kernel(7000));
  c.enter(a, stream_kind::non_blocking, c.host());
  const double first = c.record();
  EXPECT_EQ(c.record(), first);
}

TEST(DeviceClock, AnEventWithoutTimeCostsNothing) {
  device_clock c;
  add(c, a, kernel(7000));
  c.enter(a, stream_kind::non_blocking, c.host());
  EXPECT_EQ(c.record(false), 7000);
  EXPECT_EQ(add(c, a, kernel(1000)), 8000);
}

TEST(DeviceClock, TwoEventsOfAnIdleStreamAreApart) {
  device_clock c;
  c.call(100, call);
  c.enter(a, stream_kind::non_blocking, c.host());
  const double first = c.record();
  c.call(costs.call_record, call);
  c.enter(a, stream_kind::non_blocking, c.host());
  EXPECT_EQ(c.record() - first, costs.batch_gap);
}

TEST(DeviceClock, BranchesOfAGraphRunAtTheSameTime) {
  device_clock c;
  c.enter(a, stream_kind::non_blocking, 100);
  const double begin = c.begin_graph();
  EXPECT_EQ(begin, 100);
  c.begin_node(begin);
  c.run(kernel(1000, 0.2));
  const double left = c.end_of_node();
  c.begin_node(begin);
  c.run(kernel(3000, 0.2));
  const double right = c.end_of_node();
  EXPECT_EQ(left, 1100);
  EXPECT_EQ(right, 3100);
  c.end_graph(std::max(left, right));
  EXPECT_EQ(c.end_of(a), 3100);
}

TEST(DeviceClock, AKernelOfAHigherPriorityTakesThePlacesOfBlocksThatEnd) {
  device_clock c;
  add(c, a, kernel(10'000, 5));  // five waves, each of 2,000
  c.enter(b, stream_kind::non_blocking, c.host(), {.shown = b, .priority = -1});
  c.run(kernel(500, 0.1));
  EXPECT_EQ(c.end_of(b), 1500);
  EXPECT_EQ(add(c, 3, kernel(500, 0.1)), 10'500);
}

// The sum of the rooms at any time, by brute force, never exceeds the device.
TEST(DeviceClock, KernelsNeverTakeMoreRoomThanTheDeviceHas) {
  struct interval {
    double begin, end, room;
  };
  device_clock c;
  std::vector<interval> all;
  unsigned random = 12345;
  const auto next = [&](unsigned below) { return (random = random * 1664525 + 1013904223) / 65536 % below; };
  for (int i = 0; i < 200; ++i) {
    const double time = 10 + next(1000), room = 0.1 * (1 + next(10));
    const double end = add(c, next(5), kernel(time, room));
    all.push_back({end - time, end, room});
    if (next(4) == 0) c.call(next(300), call);
  }
  for (const interval& at : all) {
    double sum = 0;
    for (const interval& other : all) sum += other.begin <= at.begin && at.begin < other.end ? other.room : 0;
    EXPECT_LE(sum, 1.06) << "at " << at.begin;
  }
}

TEST(L2Contents, HoldWhatWasUsedLast) {
  l2_contents l2;
  EXPECT_EQ(l2.use({{0x1000, 400}}, {1000}).held, 0);
  EXPECT_EQ(l2.use({{0x1000, 400}}, {1000}).held, 1);
  EXPECT_EQ(l2.use({{0x1000, 400}, {0x2000, 400}}, {1000}).held, 0.5);
  EXPECT_EQ(l2.use({{0x3000, 500}}, {1000}).held, 0);
  // The new bytes have replaced the first 3/8 of both, and the misses replace what comes next, up to 3/4.
  EXPECT_EQ(l2.use({{0x1000, 400}}, {1000}).held, 0.25);
  EXPECT_EQ(l2.use({{0x2000, 400}}, {1000}).held, 0);
  EXPECT_EQ(l2.use({{0x4000, 5000}}, {1000}).held, 0);
  EXPECT_EQ(l2.use({{0x4000, 5000}}, {1000}).held, 0);  // larger than the cache
}

// Data that do not fit together replace each other before they are used again.
TEST(L2Contents, HoldNothingOfARoundThatDoesNotFit) {
  l2_contents l2;
  const std::vector<used_bytes> fit{{0x1000, 300}, {0x2000, 300}, {0x3000, 300}},
      do_not{{0x1000, 400}, {0x2000, 400}, {0x3000, 400}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(l2.use(fit, {1000}).held, i == 0 ? 0 : 1);
  }
  l2_contents other;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(other.use(do_not, {1000}).held, 0);
  EXPECT_NEAR(other.use({{0x1000, 40}}, {1000}).held, 0.828, 0.001);  // any part of what the last operation used
  l2_contents in_turn;
  for (int i = 0; i < 3; ++i)
    for (const used_bytes& u : do_not) EXPECT_EQ(in_turn.use({u}, {1000}).held, 0);
}

TEST(L2Contents, CanBeAskedWithoutAUse) {
  l2_contents l2;
  l2.use({{0x1000, 400}}, {1000});
  EXPECT_EQ(l2.part_of({{0x1000, 400}, {0x2000, 400}}, {1000}), 0.5);
  EXPECT_EQ(l2.part_of({{0x2000, 400}}, {1000}), 0);
  EXPECT_EQ(l2.use({{0x1000, 400}}, {1000}).held, 1);
}

// Stores leave bytes that DRAM does not have. It writes them when new bytes take their places.
TEST(L2Contents, WritesStoredBytesBackWhenReadsReplaceThem) {
  l2_contents l2;
  const l2_size size{1000, 400};
  const used_bytes stored{0x1000, 5000, false, true}, read{0x2000, 500}, again{0x2000, 500}, other{0x3000, 5000};
  EXPECT_EQ(l2.use({stored}, size).written_back, 0);
  EXPECT_EQ(l2.use({read}, size).written_back, 200);  // half of L2 is replaced, and with it half of the 400 bytes
  EXPECT_EQ(l2.use({again}, size).written_back, 0);   // L2 holds it
  EXPECT_EQ(l2.use({other}, size).written_back, 200);
  EXPECT_EQ(l2.use({other}, size).written_back, 0);
}

TEST(L2Contents, BytesThatAreStoredAgainCountOnce) {
  l2_contents l2;
  const l2_size size{1000, 400};
  for (int i = 0; i < 9; ++i) l2.use({{0x1000, 50, false, true}}, size);
  EXPECT_EQ(l2.use({{0x2000, 5000}}, size).written_back, 50);
}

TEST(L2Contents, StoresDoNotWaitForBytesThatTheyReplace) {
  l2_contents l2;
  const l2_size size{1000, 400};
  EXPECT_EQ(l2.use({{0x1000, 5000, false, true}}, size).written_back, 0);
  EXPECT_EQ(l2.use({{0x2000, 5000, false, true}}, size).written_back, 0);
  EXPECT_EQ(l2.use({{0x3000, 5000}}, size).written_back, 400);
}

}  // namespace
}  // namespace bankwise::cuda
