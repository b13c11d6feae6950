// What delays a launch, and the time without the delay, compared with the time of a kernel that has no such delay.
#include <gtest/gtest.h>

#include <cstring>

#include "expr/names/machine_names.hpp"
#include "profile/profile_launch.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct asked {
  std::string kernel;
  std::uint32_t blocks = 1024, threads = 256;
  std::vector<std::string> more = {};
  std::string cubin = "delays";
  std::uint32_t shared_bytes = 0;
  bool reads_host = false;  // whether the second argument is an array of 64 KB in memory of the host
};

launch_report predicted(const asked& a) {
  test::kernel_launch what{.cubin = "tests/kernels/hopper/" + a.cubin + ".cubin",
                           .kernel = a.kernel,
                           .grid = {a.blocks, 1, 1},
                           .block = {a.threads, 1, 1},
                           .shared = a.shared_bytes,
                           .arguments = {"out:f32[1M]", "f32[20M]=iota"}};
  what.arguments.insert(what.arguments.end(), a.more.begin(), a.more.end());
  launch_report found;
  std::vector<float> of_host(16384, 1.0F);
  const auto ran = test::prepare_kernel(
      what, [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) -> result<done> {
        emulate::launch one = l;
        if (a.reads_host) {
          const auto address = reinterpret_cast<std::uint64_t>(of_host.data());
          const auto added = memory.attach(address, of_host.size() * sizeof(float),
                                           reinterpret_cast<std::byte*>(of_host.data()), "pinned memory");
          if (!added) return added;
          std::memcpy(one.parameters.data() + sizeof(address), &address, sizeof(address));
        }
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

TEST(Delays, EachAdditionNeedsTheSumBefore) {
  const launch_report one = predicted({"one_sum", 264, 64}), four = predicted({"four_sums", 264, 64});
  const delay* const found = find(one, delay_kind::chained_sums);
  ASSERT_NE(found, nullptr);
  EXPECT_LT(found->saved_cycles, one.time.cycles - four.time.cycles) << "four sums also allow wider loads";
  EXPECT_EQ(find(four, delay_kind::chained_sums), nullptr);
  // Enough warps fill the clocks between two additions of one.
  EXPECT_EQ(find(predicted({"one_sum", 2112, 256}), delay_kind::chained_sums), nullptr);
}

TEST(Delays, NeighbouringValuesAreLoadedOneByOne) {
  expect_pair(delay_kind::narrow_loads, {"read_one_by_one"}, {"read_at_once"}, 0.15);
  EXPECT_EQ(find(predicted({"read_at_once"}), delay_kind::narrow_loads), nullptr);
}

// A wide load needs lanes whose addresses are multiples of its width.
TEST(Delays, ValuesWithoutAlignmentCannotBeLoadedAtOnce) {
  EXPECT_EQ(find(predicted({"smoothed"}), delay_kind::narrow_loads), nullptr) << "lanes 4 bytes apart";
  EXPECT_EQ(find(predicted({"eleven_sums"}), delay_kind::narrow_loads), nullptr) << "lanes 44 bytes apart";
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

// Nobody can sort the lanes of a search by their rounds, or let them read neighbouring values.
TEST(Delays, LanesThatSearchStayApart) {
  const launch_report l = predicted({"searched"});
  const delay* const found = find(l, delay_kind::few_lanes);
  EXPECT_LT(found == nullptr ? 0 : found->saved_cycles * 10, l.time.cycles);
  std::uint64_t excess = 0, saved = 0;
  for (const global_site& s : predicted({"ranked"}).global_sites) excess += excess_sectors(s), saved += s.saved_cycles;
  EXPECT_GT(excess, 0U);
  EXPECT_EQ(saved, 0U);
}

// A kernel of pipelines.cu, which multiplies 32 tiles.
asked pipeline(std::string kernel, std::uint32_t blocks, std::uint32_t threads = 256) {
  return {.kernel = std::move(kernel),
          .blocks = blocks,
          .threads = threads,
          .more = {"f32[256K]=iota", "i32=32"},
          .cubin = "pipelines",
          .shared_bytes = 150000};
}

TEST(Delays, TheWarpThatCopiesWaitsForAFreeStage) {
  expect_pair(delay_kind::few_stages, pipeline("one_stage", 132), pipeline("four_stages", 132), 0.15);
  expect_pair(delay_kind::few_stages, pipeline("two_stages", 132), pipeline("four_stages", 132), 0.15);
  EXPECT_EQ(find(predicted(pipeline("two_stages", 132)), delay_kind::few_stages)->now, 2U);
  EXPECT_EQ(find(predicted(pipeline("four_stages", 132)), delay_kind::few_stages), nullptr);
}

// The parts of the time in which the tensor cores multiply, or their warps wait for copies.
TEST(Delays, WithMoreStagesTheTensorCoresWaitLess) {
  const auto part = [](const launch_report& l, const char* name) { return percent_of(l.time.products, name); };
  const launch_report one = predicted(pipeline("one_stage", 132)), four = predicted(pipeline("four_stages", 132));
  EXPECT_EQ(one.time.products.size(), 3U);
  EXPECT_GT(part(one, "waiting_for_copies"), part(four, "waiting_for_copies") + 10);
  EXPECT_GT(part(four, "busy"), part(one, "busy") * 2);
  EXPECT_GT(part(four, "epilogue"), 0U);
  EXPECT_TRUE(predicted({"remainders_of_eight"}).time.products.empty());
}

TEST(Delays, EachRoundWaitsForItsOwnProducts) {
  expect_pair(delay_kind::awaited_products, pipeline("awaited", 132), pipeline("in_flight", 132), 0.1);
  EXPECT_EQ(find(predicted(pipeline("in_flight", 132)), delay_kind::awaited_products), nullptr);
}

TEST(Delays, OneWarpGroupMultipliesASmallTile) {
  expect_pair(delay_kind::small_tiles, pipeline("one_consumer", 528), pipeline("two_consumers", 264, 384), 0.15);
}

TEST(Delays, ABlockOfOneWarpHasBarriers) {
  expect_pair(delay_kind::needless_barriers, {"turned", 4096, 32}, {"turned_by_warp", 4096, 32}, 0.1);
}

TEST(Delays, BarriersAreNeedlessIfNoValuePassesBetweenWarps) {
  const launch_report l = predicted({"rotated_in_warps"});
  ASSERT_NE(find(l, delay_kind::needless_barriers), nullptr);
  EXPECT_EQ(find(predicted({"rotated_in_blocks"}), delay_kind::needless_barriers), nullptr);
}

TEST(Delays, AllWarpsWaitAlthoughOnlyPairsExchangeValues) {
  expect_pair(delay_kind::needless_barriers, {"relayed", 132}, {"relayed_apart", 132}, 0.1);
  const launch_report l = predicted({"relayed", 132});
  EXPECT_EQ(find(l, delay_kind::needless_barriers)->now, 64U);
  EXPECT_EQ(find(predicted({"relayed_apart", 132}), delay_kind::needless_barriers), nullptr);
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
  EXPECT_EQ(found->next_blocks, 5U) << "one block more asks for less";
  EXPECT_EQ(found->next_allowed, 45568U) << "a fifth of 228 KiB in steps of 128 bytes, minus 1 KiB";
  EXPECT_GT(found->used, found->next_allowed);
  expect_pair(delay_kind::low_occupancy, {"scaled", 2048, 256, pitch}, {"scaled_by_less", 2048, 256, pitch}, 0.1);
}

TEST(Delays, TellTheSmallestChangeThatAllowsMoreBlocks) {
  delay d;
  d.is = delay_kind::low_occupancy;
  d.limit = "registers";
  d.used = 65;
  d.now = 7;
  d.next_allowed = d.allowed = 64;
  d.next_blocks = d.then = 8;
  d.next_allowed = d.next_blocks = 0;  // it is the remedy itself
  EXPECT_EQ(remedy_of(d),
            "use at most 64 registers a thread (__launch_bounds__), instead of 65, so that 8 blocks are resident");
  d.allowed = 40;
  d.then = 12;
  d.next_allowed = 64;
  d.next_blocks = 8;
  EXPECT_EQ(
      remedy_of(d),
      "use at most 40 registers a thread (__launch_bounds__), instead of 65, so that 12 blocks are resident; one register "
      "less allows one block more");
  d.limit = "shared memory";
  d.used = 40000;
  d.allowed = 20000;
  d.next_allowed = 39000;
  d.next_blocks = 9;
  EXPECT_EQ(
      remedy_of(d),
      "use at most 20,000 bytes of shared memory a block, instead of 40,000, so that 12 blocks are resident; 1,000 bytes less "
      "allow 2 blocks more");
}

TEST(Delays, DramSendsTheSameDataAgain) {
  const auto counted = [](const std::string& kernel, const std::string& values, const std::string& part) {
    return predicted({kernel, 1024, 256, {"i32=" + values, "i32=" + part}});
  };
  const launch_report l = counted("counted_in_passes", "20971520", "20971520"),
                      after = counted("counted_in_parts", "20971520", "1048576");
  const delay* const found = find(l, delay_kind::reads_again);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->place.line, 378U);
  EXPECT_NEAR(static_cast<double>(found->now), 75, 2) << "three of four passes";
  EXPECT_GT(found->saved_cycles, l.time.cycles / 3);
  EXPECT_GT(l.time.cycles - found->saved_cycles, after.time.cycles) << "no more is promised than the change saves";
  EXPECT_EQ(find(after, delay_kind::reads_again), nullptr);
  EXPECT_EQ(find(counted("counted_in_passes", "5242880", "5242880"), delay_kind::reads_again), nullptr)
      << "20 MB stay in L2";
}

// The launch reads 64 MB once, and needs the time of DRAM for them. A column of words uses a part of each sector.
TEST(NeededWork, IsTheBytesThatTheLaunchReadsAndWrites) {
  const launch_report l = predicted({"counted_in_passes", 1024, 256, {"i32=20971520", "i32=20971520"}});
  EXPECT_NEAR(static_cast<double>(l.time.needed.read_bytes) / (20971520 * 4), 1, 0.01) << "each byte counts once";
  EXPECT_TRUE(l.time.needed.is_estimated);
  EXPECT_GT(above_floor(l.time), 0.75);
  const launch_report once = predicted({"read_at_once"});
  EXPECT_LT(above_floor(once.time), above_floor(predicted({"read_one_by_one"}).time));
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
  EXPECT_TRUE(found->about.empty()) << "blocks are too few, not only warps";
  EXPECT_GT(found->saved_cycles, l.time.cycles / 2) << "33 times as many blocks have a 33rd of the work each";
  EXPECT_LT(found->saved_cycles, l.time.cycles - 1000) << "a launch has a cost of its own";
}

TEST(Delays, AGridHasFewWarps) {
  const launch_report l = predicted({"row_sums", 132, 64});
  const delay* const found = find(l, delay_kind::few_blocks);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->about, "warps");
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

TEST(Delays, LongCodeComesFromMemory) {
  expect_pair(delay_kind::long_code, {"series_in_line", 132, 128}, {"series_in_loop", 132, 128}, 0.3);
  EXPECT_GT(find(predicted({"series_in_line", 132, 128}), delay_kind::long_code)->now, 1536U);
  EXPECT_EQ(find(predicted({"series_in_loop", 132, 128}), delay_kind::long_code), nullptr);
  EXPECT_EQ(find(predicted({"series_in_line", 132 * 32, 128}), delay_kind::long_code), nullptr)
      << "later blocks find the code in the caches";
}

TEST(Delays, WarpsWaitForAWarpWithMoreWork) {
  expect_pair(delay_kind::uneven_warps, {"summed_by_one", 264}, {"summed_by_all", 264}, 0.25);
  const launch_report l = predicted({"summed_by_one", 264});
  const delay* const found = find(l, delay_kind::uneven_warps);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->about, "warp 0");
  EXPECT_EQ(l.time.delays.empty() ? 0 : found->place.line, 215U);
  EXPECT_EQ(found->barrier_line, 217U) << "the line of the barrier";
  EXPECT_GT(found->now, 4 * found->then);
  EXPECT_EQ(find(predicted({"summed_by_all", 264}), delay_kind::uneven_warps), nullptr);
  EXPECT_EQ(find(predicted({"awaited_by_one", 264}), delay_kind::uneven_warps), nullptr)
      << "what waits for other blocks waits for one after another";
}

TEST(Delays, TheMemoryOfTheHostIsReadAgain) {
  asked slow{"looked_up", 1056};
  slow.reads_host = true;
  const launch_report before = predicted(slow), after = predicted({"looked_up", 1056});
  const delay* const found = find(before, delay_kind::host_reads);
  ASSERT_NE(found, nullptr);
  EXPECT_GT(found->now, 4U);
  // The saving leaves out the share of a copy to the device.
  EXPECT_GT(before.time.cycles - found->saved_cycles, after.time.cycles);
  EXPECT_LT(before.time.cycles - found->saved_cycles, before.time.cycles / 2);
  EXPECT_EQ(find(after, delay_kind::host_reads), nullptr);
  asked once{"clamped", 512, 32};
  once.reads_host = true;
  EXPECT_EQ(find(predicted(once), delay_kind::host_reads), nullptr);
}

TEST(Delays, AProductIsAddedInASecondStep) {
  expect_pair(delay_kind::separate_sums, {"rounded_twice"}, {"rounded_once"}, 0.1);
  EXPECT_EQ(find(predicted({"rounded_once"}), delay_kind::separate_sums), nullptr);
  EXPECT_EQ(find(predicted({"used_twice"}), delay_kind::separate_sums), nullptr);
}

TEST(Delays, ATileOfHalvesIsMultipliedWithoutTensorCores) {
  const launch_report l = predicted({"tile_of_halves"});
  const delay* const found = find(l, delay_kind::products_of_halves);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->saved_cycles, 0U) << "no replay tells what another kernel would do";
  EXPECT_EQ(find(predicted({"tile_of_floats"}), delay_kind::products_of_halves), nullptr);
}

TEST(Delays, BytesAreMultipliedOneByOne) {
  expect_pair(delay_kind::products_of_bytes, {"bytes_one_by_one"}, {"bytes_at_once"}, 0.4);
  EXPECT_EQ(find(predicted({"bytes_at_once"}), delay_kind::products_of_bytes), nullptr);
}

// The compiler adds the function pow, which has no lines.
TEST(Delays, AFunctionWithoutLinesHasTheLineOfItsCall) {
  const launch_report l = predicted({"cubed", 1024, 256, {"f32=1.5"}});
  const delay* const found = find(l, delay_kind::double_arithmetic);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->place.line, 297U);
  EXPECT_GT(found->saved_cycles, l.time.cycles / 4);
}

TEST(Delays, APathOfASwitchIsShownAtTheSwitch) {
  const launch_report l = predicted({"chosen"});
  const delay* const found = find(l, delay_kind::few_lanes);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->place.line, 305U);
  EXPECT_GT(found->saved_cycles, l.time.cycles / 3);
}

TEST(Delays, RegistersAreSpilled) {
  expect_pair(delay_kind::spilled_registers, {"products_spilled", 264}, {"products_kept", 264}, 0.25);
  EXPECT_GT(find(predicted({"products_spilled", 264}), delay_kind::spilled_registers)->now, 8U);
  EXPECT_EQ(find(predicted({"products_spilled", 264}), delay_kind::stack_arrays), nullptr);
}

TEST(Delays, AnArrayOfAThreadIsInLocalMemory) {
  const launch_report l = predicted({"bins_in_memory", 264});
  EXPECT_NE(find(l, delay_kind::stack_arrays), nullptr);
  EXPECT_EQ(find(l, delay_kind::spilled_registers), nullptr);
  EXPECT_EQ(find(predicted({"bins_in_registers", 264}), delay_kind::stack_arrays), nullptr);
}

}  // namespace
}  // namespace bankwise
