// Tests launches that stop early. The report contains the counts up to the stop, and is marked as partial.
#include <gtest/gtest.h>

#include <atomic>

#include "model/merge_reports.hpp"
#include "profile/profile_launch.hpp"
#include "report/json/read_report.hpp"
#include "report/json/write_report.hpp"
#include "report/text/run_report.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

test::kernel_launch transpose() {
  return {.cubin = "examples/transpose.cubin",
          .kernel = "transpose_plain",
          .grid = {4, 4, 1},
          .block = {32, 8, 1},
          .arguments = {"out:f32[128*128]", "f32[128*128]=iota", "i32=128"},
          .threads = 1};
}

// Returns the instructions of one block, for a launch whose blocks all do the same work.
std::uint64_t instructions_of_a_block() {
  const auto whole = test::run_kernel(transpose());
  return whole ? whole->launch().sum.warp_instructions / 16 : 0;
}

TEST(Partial, BudgetEndsALaunchBehindABlock) {
  const auto whole = test::run_kernel(transpose());
  ASSERT_TRUE(whole) << to_text(whole.error());
  EXPECT_FALSE(whole->launch().partial);
  const std::uint64_t a_block = whole->launch().sum.warp_instructions / 16;
  for (const std::uint64_t ran : {2, 5, 15}) {
    test::kernel_launch what = transpose();
    what.budget = a_block * ran - a_block / 2;
    const auto run = test::run_kernel(what);
    ASSERT_TRUE(run) << to_text(run.error());
    const launch_report& l = run->launch();
    EXPECT_EQ(l.partial.why, early_end::reason::budget);
    EXPECT_EQ(l.ctas_executed, ran);
    EXPECT_EQ(l.ctas_begun, ran);
    EXPECT_FALSE(l.scaled);
    EXPECT_EQ(l.sum.warp_instructions, ran * a_block);
    EXPECT_EQ(l.sum.wavefronts * 16, whole->launch().sum.wavefronts * ran);
    EXPECT_NE(l.stopped_at.message.find("needs more than"), std::string::npos);
  }
}

TEST(Partial, BudgetEndsABlockInTheMiddle) {
  const auto run = test::run_kernel(
      {.cubin = "tests/kernels/faults.cubin", .kernel = "spins", .arguments = {"i32[1]=0"}, .budget = 1000});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->launch().partial.why, early_end::reason::budget);
  EXPECT_EQ(run->launch().ctas_executed, 0u);
  EXPECT_EQ(run->launch().ctas_begun, 1u);
  EXPECT_GT(run->launch().sum.warp_instructions, 1000u);
  EXPECT_NE(run->launch().stopped_at.message.find("without ending"), std::string::npos);
}

// If a launch has a budget, its faults are still reported.
TEST(Partial, FaultsStayFaults) {
  emulate::fault_kind kind = emulate::fault_kind::none;
  const auto run = test::run_kernel({.cubin = "tests/kernels/faults.cubin",
                                     .kernel = "loops_for_ever",
                                     .budget = std::uint64_t{1} << 20,
                                     .fault = &kind});
  EXPECT_FALSE(run);
  EXPECT_EQ(kind, emulate::fault_kind::timeout);
}

// Stops a run with one worker and with many workers, with blocks in parallel and in sequence. Blocks, counts and sites
// must agree for every block that began.
TEST(Partial, StopsWhereItIsAskedTo) {
  for (const unsigned threads : {1u, 4u})
    for (const bool at_once : {true, false}) {
      test::kernel_launch what = transpose();
      what.cubin = "examples/tutorial/ldmatrix.cubin";
      what.kernel = "rows_plain";
      what.block = {32, 1, 1};
      what.arguments = {"out:u32[128]"};
      const auto one = [&] {
        test::kernel_launch single = what;
        single.grid = {1, 1, 1};
        return test::run_kernel(single);
      }();
      ASSERT_TRUE(one) << to_text(one.error());
      what.grid = {2'000'000'000, 1, 1};
      what.threads = threads;
      std::atomic<std::uint32_t> stop{at_once ? 15u : 0u};
      launch_report l;
      const auto ran = test::prepare_kernel(
          what,
          [&](const emulate::launch& launch, emulate::device_memory& memory, const placed_arguments&) -> result<done> {
            emulate::launch_hooks hooks;
            hooks.stop = &stop;
            hooks.progress = [&](const emulate::launch_progress& p) {
              EXPECT_EQ(p.total, 2'000'000'000u);
              if (p.done > 0 && p.instructions > 0) stop = 15;
            };
            auto profiled = profile_launch(launch, memory, *parse_machine("sm_90"), hooks);
            if (!profiled) return profiled.error();
            l = std::move(*profiled);
            return done{};
          });
      ASSERT_TRUE(ran) << to_text(ran.error());
      EXPECT_EQ(l.partial.why, early_end::reason::interrupted);
      EXPECT_EQ(l.ctas_executed == 0, at_once);
      EXPECT_GE(l.ctas_begun, l.ctas_executed);
      EXPECT_LE(l.ctas_begun, l.ctas_executed + threads);
      EXPECT_NE(l.stopped_at.message.find("stopped"), std::string::npos);
      for (const site& s : l.sites)
        for (const site& each : one->launch().sites)
          if (s.pc == each.pc && s.function == each.function) {
            EXPECT_GE(s.executed, each.executed * l.ctas_executed);
            EXPECT_LE(s.executed, each.executed * l.ctas_begun);
          }
    }
}

report partial_report() {
  test::kernel_launch what = transpose();
  what.budget = instructions_of_a_block() * 7 / 2;
  auto run = test::run_kernel(what);
  report r = run ? run->whole : report{};
  r.partial = {early_end::reason::interrupted, "SIGTERM"};
  return r;
}

TEST(Partial, IsWrittenAndRead) {
  const report r = partial_report();
  const std::string text = to_json(r);
  const auto back = read_report(text, "r.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(back->partial, r.partial);
  EXPECT_EQ(back->launches.at(0).partial.why, early_end::reason::budget);
  EXPECT_EQ(back->launches[0].ctas_begun, 4u);
  EXPECT_EQ(to_json(*back), text);
  const auto wrong = [&](const std::string& from, const std::string& to) {
    std::string damaged = text;
    const std::size_t at = damaged.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) damaged.replace(at, from.size(), to);
    return !read_report(damaged, "r.json");
  };
  EXPECT_TRUE(wrong("\"interrupted\"", "\"none\""));
  EXPECT_TRUE(wrong("\"ctas_begun\": 4", "\"ctas_begun\": 3"));
  EXPECT_TRUE(wrong("\"SIGTERM\"", "15"));
}

// A report that has no room for some launches is partial. The exception is the report of a recording, which only omits
// launches on request.
TEST(Partial, ReportsThatAreFull) {
  report r = partial_report();
  r.partial = {};
  r.launches[0].partial = {};
  EXPECT_FALSE(early_end_of(r));
  r.not_recorded = {{"gemm", {1, 1, 1}, {32, 1, 1}, 7, false}};
  EXPECT_EQ(words_of(early_end_of(r)), "cut off, because a report cannot contain all launches of the program");
  EXPECT_EQ(exactness_of(r), exactness::partial);
  const auto merged = merge_reports({{"a", r}, {"b", r}});
  ASSERT_TRUE(merged) << to_text(merged.error());
  EXPECT_TRUE(early_end_of(*merged));
  const auto back = read_report(to_json(*merged), "r.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_TRUE(early_end_of(*back));
  r.origin = "recorded";
  EXPECT_FALSE(early_end_of(r));
}

TEST(Partial, IsSaid) {
  const std::string text = to_text(partial_report(), {}, {});
  EXPECT_NE(text.find("  partial   4 of 16 blocks; stopped by --budget\n"), std::string::npos) << text;
  report r = partial_report();
  r.launches[0].ctas_begun = 6;
  r.launches[0].partial = {early_end::reason::interrupted, "SIGINT"};
  EXPECT_NE(to_text(r, {}, {}).find("  partial   4 of 16 blocks, and a part of 2 more; stopped by SIGINT\n"),
            std::string::npos);
  r.launches[0].partial = {};
  r.launches.push_back(r.launches[0]);
  EXPECT_NE(to_text(r, {}, {}).find("partial: stopped by SIGTERM"), std::string::npos);
  const auto merged = merge_reports({{"a", r}, {"b", r}});
  ASSERT_TRUE(merged) << to_text(merged.error());
  EXPECT_EQ(merged->partial, r.partial);
}

}  // namespace
}  // namespace bankwise
