// Tests that the record of a launch does not depend on how the launch executes: on the number of threads, on compiled
// code, and on whether it is recorded while it runs or in a rehearsal.
#include "timing/trace_launch.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "expr/names/machine_names.hpp"
#include "support/kernel_run.hpp"
#include "timing/trace/trace_file.hpp"

namespace bankwise::timing {
namespace {

enum class way : std::uint8_t { one_thread, threads, interpreted, rehearsed };

std::optional<launch_trace> record(const test::kernel_launch& of, way how) {
  test::kernel_launch what = of;
  what.threads = how == way::threads ? 3 : 1;
  std::optional<launch_trace> trace;
  const auto ran =
      test::prepare_kernel(what, [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) {
        emulate::launch one = l;
        if (how == way::interpreted) one.use = emulate::instruction_use::interpret;
        one.memory_is_private = true;
        launch_recording recording(one, memory, parse_machine("sm_90")->model);
        if (how == way::rehearsed) {
          recording.rehearse(memory, {});
        } else {
          emulate::launch_hooks hooks;
          hooks.recorders = &recording;
          if (const auto ended = emulate::run_launch(one, memory, hooks); !ended) return result<done>(ended.error());
        }
        trace = recording.trace();
        if (!trace) return result<done>(diagnostic{"there is no trace"});
        EXPECT_TRUE(is_sound(*trace));
        EXPECT_FALSE(trace->blocks.empty());
        EXPECT_FALSE(trace->touching.empty());
        return result<done>(done{});
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return trace;
}

TEST(TraceLaunch, IsTheSameHoweverTheLaunchRuns) {
  const test::kernel_launch product{
      .cubin = "bench/kernels/speed.cubin",
      .kernel = "matrix_mul",
      .grid = {16, 16, 1},
      .block = {32, 32, 1},
      .arguments = {"out:f32[512*512]", "f32[512*512]=iota", "f32[512*512]=iota", "i32=512", "i32=64"}};
  const auto once = record(product, way::one_thread);
  ASSERT_TRUE(once);
  for (const way how : {way::threads, way::interpreted, way::rehearsed})
    EXPECT_TRUE(to_bytes(record(product, how).value()) == to_bytes(*once)) << static_cast<int>(how);
}

// Lane n prefetches the lines of byte 64 n + 4096 and of byte 128 n into L2.
TEST(TraceLaunch, HasTheLinesOfPrefetches) {
  const test::kernel_launch loads{.cubin = "tests/kernels/global_forms.cubin",
                                  .kernel = "hints",
                                  .grid = {1, 1, 1},
                                  .block = {32, 1, 1},
                                  .arguments = {"u8[262144]=iota", "out:u8[262144]"}};
  const auto trace = record(loads, way::one_thread);
  ASSERT_TRUE(trace);
  std::vector<unsigned> lines;
  for (const traced_access& a : trace->accesses)
    if (a.does == memory_action::prefetch) {
      lines.push_back(a.lines);
      for (unsigned i = 0; i < a.lines; ++i) EXPECT_EQ(sectors_of(trace->lines[a.first_line + i]), 15u);
    }
  EXPECT_EQ(lines, (std::vector<unsigned>{16, 32}));
}

TEST(TraceLaunch, HasTheShareOfAQueueThatEachBlockTakes) {
  const auto trace =
      record({.cubin = "tests/kernels/ampere/work_queues.cubin",
              .kernel = "threads_take_rows",
              .grid = {4, 1, 1},
              .block = {256, 1, 1},
              .arguments = {"u32[1]=zero", "u32[1024]=zero", "f32[4096]=iota", "f32[1024]=zero", "u32=1024"}},
             way::one_thread);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->blocks.size(), 4u);
  for (const traced_block& b : trace->blocks) {
    EXPECT_GT(b.instructions, trace->blocks.front().instructions * 3 / 4) << b.linear;
    EXPECT_LT(b.instructions, trace->blocks.front().instructions * 5 / 4) << b.linear;
  }
}

TEST(TraceLaunch, IsRecordedWhenTheProgramCannotSeeIt) {
  emulate::launch l;
  l.grid = {100, 1, 1};
  cubin::kernel k;
  l.kernel = &k;
  EXPECT_EQ(recording_time_of(l), recording_time::while_it_runs);
  l.most_blocks = 10;
  EXPECT_EQ(recording_time_of(l), recording_time::while_it_runs) << "a sample may not contain the chosen blocks";
  l.memory_is_private = true;
  EXPECT_EQ(recording_time_of(l), recording_time::before);
  l.cooperative = true;
  EXPECT_EQ(recording_time_of(l), recording_time::while_it_runs);
}

}  // namespace
}  // namespace bankwise::timing
