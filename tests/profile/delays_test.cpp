// What delays a launch, and the time without the delay, compared with the time of a kernel that has no such delay.
#include <gtest/gtest.h>

#include "expr/names/machine_names.hpp"
#include "profile/profile_launch.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct asked {
  std::string kernel;
  std::uint32_t blocks = 1024, threads = 256;
  std::vector<std::string> more;
};

launch_report predicted(const asked& a) {
  test::kernel_launch what{.cubin = "tests/kernels/hopper/delays.cubin",
                           .kernel = a.kernel,
                           .grid = {a.blocks, 1, 1},
                           .block = {a.threads, 1, 1},
                           .arguments = {"out:f32[1M]", "f32[20M]=iota"}};
  what.arguments.insert(what.arguments.end(), a.more.begin(), a.more.end());
  launch_report found;
  const auto ran = test::prepare_kernel(
      what, [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) -> result<done> {
        emulate::launch one = l;
        one.predicts_time = one.memory_is_private = one.counts_global = true;
        auto r = profile_launch(one, memory, *parse_machine("sm_90a"), {}, {});
        if (!r) return r.error();
        found = std::move(*r);
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  EXPECT_TRUE(found.time) << a.kernel;
  return found;
}

const delay* find(const launch_report& l, delay_kind k) {
  for (const delay& d : l.time.delays)
    if (d.is == k) return &d;
  return nullptr;
}

// Expects that the first kernel without the delay takes the time of the second kernel, within `tolerance` of that time.
// The second kernel computes the same without the delay.
void expect_pair(delay_kind k, const asked& slow, const asked& fast, double tolerance) {
  const launch_report before = predicted(slow), after = predicted(fast);
  const delay* const found = find(before, k);
  ASSERT_NE(found, nullptr) << slow.kernel;
  EXPECT_NEAR(static_cast<double>(before.time.cycles - found->saved_cycles) / static_cast<double>(after.time.cycles), 1,
              tolerance)
      << slow.kernel << ": " << before.time.cycles << " cycles, of which " << found->saved_cycles << " are saved; "
      << fast.kernel << ": " << after.time.cycles << " cycles";
}

TEST(Delays, ALoopWaitsForItsOwnLoads) {
  const std::vector<std::string> pitch{"i32=131072"};
  expect_pair(delay_kind::late_loads, {"columns", 264, 128, pitch}, {"columns_in_fours", 264, 128, pitch}, 0.1);
  EXPECT_EQ(find(predicted({"columns", 264, 128, pitch}), delay_kind::late_loads)->place.line, 9U);
}

TEST(Delays, ALoadThatNeedsTheLoadBeforeCannotComeEarlier) {
  EXPECT_EQ(find(predicted({"chain", 264, 128}), delay_kind::late_loads), nullptr);
}

TEST(Delays, EachRoundNeedsTheValueOfTheRoundBefore) {
  const launch_report l = predicted({"chain", 264, 128});
  const delay* const found = find(l, delay_kind::chained_loads);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->place.line, 30U);
  EXPECT_EQ(find(predicted({"columns", 264, 128, {"i32=131072"}}), delay_kind::chained_loads), nullptr);
}

TEST(Delays, NeighbouringValuesAreLoadedOneByOne) {
  expect_pair(delay_kind::narrow_loads, {"read_one_by_one"}, {"read_at_once"}, 0.15);
  EXPECT_EQ(find(predicted({"read_at_once"}), delay_kind::narrow_loads), nullptr);
}

TEST(Delays, FunctionsHaveMorePrecisionThanTheFastForms) {
  expect_pair(delay_kind::precise_functions, {"divided"}, {"divided_fast"}, 0.4);
  expect_pair(delay_kind::precise_functions, {"powers"}, {"powers_fast"}, 0.4);
  EXPECT_EQ(find(predicted({"powers_fast"}), delay_kind::precise_functions), nullptr);
}

TEST(Delays, FloatsAreComputedAsDoubles) {
  expect_pair(delay_kind::double_arithmetic, {"damped"}, {"damped_floats"}, 0.35);
}

TEST(Delays, IntegersAreDividedByAVariable) {
  expect_pair(delay_kind::integer_division, {"remainders", 1024, 256, {"i32=8"}}, {"remainders_of_eight"}, 0.35);
}

TEST(Delays, LanesOfAWarpTakeDifferentPaths) {
  expect_pair(delay_kind::few_lanes, {"by_lane"}, {"by_warp"}, 0.1);
  EXPECT_EQ(find(predicted({"by_lane"}), delay_kind::few_lanes)->now, 16U);
}

TEST(Delays, ABlockOfOneWarpHasBarriers) {
  expect_pair(delay_kind::needless_barriers, {"turned", 4096, 32}, {"turned_by_warp", 4096, 32}, 0.1);
}

TEST(Delays, BarriersAreNeedlessIfNoValuePassesBetweenWarps) {
  const launch_report l = predicted({"rotated_in_warps"});
  ASSERT_NE(find(l, delay_kind::needless_barriers), nullptr);
  EXPECT_EQ(find(predicted({"rotated_in_blocks"}), delay_kind::needless_barriers), nullptr);
}

TEST(Delays, ABlockUpdatesOneWordOften) {
  expect_pair(delay_kind::repeated_updates, {"added"}, {"added_by_block"}, 0.5);
}

TEST(Delays, SharedMemoryLimitsTheResidentBlocks) {
  const std::vector<std::string> pitch{"i32=524288"};
  const launch_report l = predicted({"scaled", 2048, 256, pitch});
  const delay* const found = find(l, delay_kind::low_occupancy);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->limit, "shared memory");
  EXPECT_EQ(found->now, 4U);
  EXPECT_EQ(found->then, 8U);
  EXPECT_EQ(found->allowed, 28160U) << "228 KiB divided by 8, minus 1 KiB for the system";
  expect_pair(delay_kind::low_occupancy, {"scaled", 2048, 256, pitch}, {"scaled_by_less", 2048, 256, pitch}, 0.1);
}

TEST(Delays, BlocksOfOneWarpStartOneAfterAnother) {
  expect_pair(delay_kind::small_blocks, {"clamped", 16384, 32}, {"clamped", 2048, 256}, 0.1);
  EXPECT_EQ(find(predicted({"clamped", 2048, 256}), delay_kind::small_blocks), nullptr);
}

TEST(Delays, AGridHasFewerBlocksThanMultiprocessors) {
  const std::vector<std::string> pitch{"i32=131072"};
  const launch_report l = predicted({"columns", 16, 128, pitch});
  const delay* const found = find(l, delay_kind::few_blocks);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->now, 16U);
  EXPECT_EQ(found->then, 132U);
  EXPECT_TRUE(found->limit.empty()) << "blocks are too few, not only warps";
  EXPECT_GT(found->saved_cycles, l.time.cycles / 2) << "33 times as many blocks have a 33rd of the work each";
  EXPECT_LT(found->saved_cycles, l.time.cycles - 1000) << "a launch has a cost of its own";
}

TEST(Delays, AGridHasFewWarps) {
  const launch_report l = predicted({"row_sums", 132, 64});
  const delay* const found = find(l, delay_kind::few_blocks);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->limit, "warps");
  EXPECT_EQ(found->now, 264U);
  // Unrolled loops would hide as much latency.
  EXPECT_EQ(find(predicted({"columns", 132, 128, {"i32=131072"}}), delay_kind::few_blocks), nullptr);
}

TEST(Delays, EachThreadLoadsTheSameValuesForOneResult) {
  const launch_report l = predicted({"tile_products"});
  const delay* const found = find(l, delay_kind::little_reuse);
  ASSERT_NE(found, nullptr);
  EXPECT_GT(found->saved_cycles, l.time.cycles / 10);
  EXPECT_EQ(find(predicted({"read_at_once"}), delay_kind::little_reuse), nullptr) << "no value is loaded again";
}

TEST(Delays, SomeMultiprocessorsExecuteOneBlockMore) {
  const auto uneven = [](std::uint32_t blocks) { return predicted({"by_warp", blocks, 1024}); };
  const launch_report l = uneven(133), even = uneven(132);
  const delay* const found = find(l, delay_kind::uneven_blocks);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->now, 2U);
  EXPECT_EQ(find(even, delay_kind::uneven_blocks), nullptr);
  EXPECT_NEAR(static_cast<double>(l.time.cycles - found->saved_cycles) / static_cast<double>(even.time.cycles), 1,
              0.05);
}

}  // namespace
}  // namespace bankwise
