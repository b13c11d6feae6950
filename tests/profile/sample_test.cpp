// Tests which blocks are in a sample of a launch (--ctas, --time). estimate_test.cpp tests the estimates from the
// counts of a sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emulate/counting/block_order.hpp"
#include "expr/names/machine_names.hpp"
#include "profile/collect.hpp"
#include "profile/profile_launch.hpp"
#include "report/json/write_report.hpp"
#include "support/examples.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::block_order;
using emulate::class_of;
using emulate::fault_kind;
using emulate::grid_extent;
using emulate::size_of;

TEST(Order, HasEachBlockOnce) {
  for (const grid_extent& g : {grid_extent{1, 1, 1},
                               {2, 1, 1},
                               {3, 1, 1},
                               {7, 1, 1},
                               {64, 1, 1},
                               {1000, 1, 1},
                               {2, 2, 2},
                               {5, 3, 1},
                               {1, 9, 1},
                               {3, 3, 3},
                               {32, 8, 4}}) {
    block_order order(g);
    std::set<std::uint64_t> seen;
    for (std::uint64_t n = 0; n < size_of(g); ++n) seen.insert(order.block_at(n));
    EXPECT_EQ(seen.size(), size_of(g));
    EXPECT_EQ(*seen.rbegin(), size_of(g) - 1);
  }
}

TEST(Order, BeginsWithABlockOfEachClass) {
  for (const grid_extent& g : {grid_extent{100, 1, 1}, {64, 64, 1}, {2, 50, 1}, {10, 10, 10}}) {
    const auto sizes = emulate::class_sizes(g);
    std::array<std::uint64_t, emulate::most_block_classes> counted{};
    for (std::uint64_t n = 0; n < size_of(g); ++n) ++counted[class_of(g, n)];
    EXPECT_EQ(sizes, counted);
    block_order order(g);
    std::set<unsigned> seen;
    const auto classes = static_cast<std::size_t>(
        std::count_if(sizes.begin(), sizes.end(), [](std::uint64_t size) { return size != 0; }));
    std::uint64_t before = ~std::uint64_t{0};
    for (std::uint64_t n = 0; n < classes; ++n) {
      const unsigned c = class_of(g, order.block_at(n));
      EXPECT_TRUE(seen.insert(c).second);
      EXPECT_LE(sizes[c], before);  // the classes are in order of their size, the largest class first
      before = sizes[c];
    }
  }
}

// For any n, the first n blocks contain a fair share of each part of the grid.
TEST(Order, IsEvenFromItsBeginning) {
  for (const grid_extent& g : {grid_extent{1000, 1, 1}, {64, 64, 1}, {31, 7, 5}}) {
    block_order order(g);
    const std::uint64_t blocks = size_of(g), classes = 27;
    for (std::uint64_t parts = 2; parts <= 16; parts *= 2) {
      std::vector<std::uint64_t> of_part(parts);
      for (std::uint64_t n = 0; n < blocks; ++n) {
        ++of_part[order.block_at(n) * parts / blocks];
        const auto [least, most] = std::minmax_element(of_part.begin(), of_part.end());
        // The shares are not exact: blocks at the edges come first, and the order does not divide the grid into these
        // parts.
        EXPECT_LE(*most - *least, classes + 2) << parts << " parts, " << n;
      }
    }
  }
}

// Even if the width of the grid is a power of two, 64 sampled blocks are in more than half of the 64 columns.
TEST(Order, IsNotInStepWithTheGrid) {
  block_order order({64, 64, 1});
  std::set<std::uint64_t> columns;
  for (std::uint64_t n = 9; n < 9 + 64; ++n) columns.insert(order.block_at(n) % 64);
  EXPECT_GT(columns.size(), 32u);
}

TEST(Order, TakesTheLargestGrid) {
  const grid_extent g{0x7fffffff, 65535, 65535};
  block_order order(g);
  for (std::uint64_t n = 0; n < 100; ++n) EXPECT_LT(order.block_at(n), size_of(g));
}

TEST(Scaling, RoundsToTheNearest) {
  EXPECT_EQ(scaled(10, 64, 5), 128u);
  EXPECT_EQ(scaled(1, 3, 2), 2u);
  EXPECT_EQ(scaled(1, 4, 3), 1u);
  EXPECT_EQ(scaled(~std::uint64_t{0} / 4, 4, 1), ~std::uint64_t{0} / 4 * 4);
}

// If all blocks do the same work, the counts from a sample are exact.
TEST(Sample, OfEqualBlocksCountsAsAll) {
  const auto launch = [](std::uint64_t ctas, unsigned threads) {
    return test::run_kernel({.cubin = "examples/transpose.cubin",
                             .kernel = "transpose_plain",
                             .grid = {8, 8, 1},
                             .block = {32, 8, 1},
                             .arguments = {"out:f32[256*256]", "f32[256*256]=iota", "i32=256"},
                             .threads = threads,
                             .keep_accesses = 1000,
                             .ctas = ctas});
  };
  const auto all = launch(0, 1);
  ASSERT_TRUE(all) << to_text(all.error());
  EXPECT_FALSE(all->launch().scaled);
  for (const std::uint64_t ctas : {1, 3, 7, 32, 63, 64, 1000})
    for (const unsigned threads : {1u, 4u}) {
      const auto some = launch(ctas, threads);
      ASSERT_TRUE(some) << to_text(some.error());
      const launch_report &a = all->launch(), &b = some->launch();
      EXPECT_EQ(b.ctas_executed, std::min<std::uint64_t>(ctas, 64));
      EXPECT_EQ(b.scaled, ctas < 64);
      EXPECT_EQ(a.sum.warp_instructions, b.sum.warp_instructions);
      EXPECT_EQ(a.sum.wavefronts, b.sum.wavefronts);
      EXPECT_EQ(a.accesses_seen, b.accesses_seen);
      EXPECT_EQ(a.accesses_kept, b.accesses_kept);
      ASSERT_EQ(a.sites.size(), b.sites.size());
      for (std::size_t i = 0; i < a.sites.size(); ++i) {
        EXPECT_EQ(a.sites[i].pc, b.sites[i].pc);
        EXPECT_EQ(static_cast<const counts&>(a.sites[i]), static_cast<const counts&>(b.sites[i])) << a.sites[i].sass;
      }
    }
}

// The worst access comes from the lowest block of a sample, whatever block is executed first.
TEST(Sample, NamesTheFirstAccessOfTheLowestBlock) {
  const machine on = *parse_machine("sm_90");
  const auto access_of = [](u32 word) {
    emulate::shared_access a{.pc = 16, .lanes = 32};
    a.what.op = {op_kind::load, 4};
    a.what.mask = full_mask;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) a.what.address[lane] = 4 * (word + 33 * 32 * lane);
    return a;
  };
  const auto worst_after = [&](const std::vector<std::uint64_t>& blocks, unsigned workers) {
    std::vector<std::unique_ptr<collector>> all;
    for (unsigned i = 0; i < workers; ++i) all.push_back(std::make_unique<collector>(on, 0, 1024));
    for (std::size_t n = 0; n < blocks.size(); ++n) {
      collector& c = *all[n % workers];
      c.on_block(blocks[n]);
      // Each block begins with a different shift by whole rows. All warps have the same conflict.
      for (u32 warp = 0; warp < 8; ++warp) c.on_access(access_of(32 * static_cast<u32>(blocks[n]) + warp));
    }
    for (unsigned i = 1; i < workers; ++i) all[0]->add(*all[i]);
    return all[0]->tallies().at(16).worst.address[0] / 4;
  };
  for (const unsigned workers : {1u, 2u, 5u})
    for (const std::vector<std::uint64_t>& blocks :
         {std::vector<std::uint64_t>{2, 3, 5, 7, 9}, {9, 7, 5, 3, 2}, {5, 2, 9, 3, 7}, {7, 9, 2, 5, 3}})
      EXPECT_EQ(worst_after(blocks, workers), 64u) << workers << " workers, first block " << blocks[0];
}

TEST(Sample, NamesTheSameAccessWithAnyNumberOfThreads) {
  std::set<std::string> seen;
  for (unsigned i = 0; i < 60; ++i) {
    const auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                                       .kernel = "transpose_plain",
                                       .grid = {8, 8, 1},
                                       .block = {32, 8, 1},
                                       .arguments = {"out:f32[256*256]", "f32[256*256]=iota", "i32=256"},
                                       .threads = 1 + i % 6,
                                       .ctas = 5,
                                       .with_code = false});
    ASSERT_TRUE(run) << to_text(run.error());
    seen.insert(to_json(run->whole));
  }
  EXPECT_EQ(seen.size(), 1u);
}

// A launch that is only counted, or a sample, does not execute the blocks that a prediction needs. If the program sees
// the memory of the launch, they cannot be executed beforehand, and the report says so.
TEST(Sample, TellsWhyItHasNoTime) {
  for (const bool is_private : {false, true}) {
    const auto ran = test::prepare_kernel(
        {.cubin = "examples/transpose.cubin",
         .kernel = "transpose_plain",
         .grid = {8, 8, 1},
         .block = {32, 8, 1},
         .arguments = {"out:f32[256*256]", "f32[256*256]=iota", "i32=256"},
         .ctas = 1},
        [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) -> result<done> {
          emulate::launch one = l;
          one.predicts_time = true;
          one.memory_is_private = is_private;
          const auto r = profile_launch(one, memory, *parse_machine("sm_90"), {}, {});
          if (!r) return r.error();
          EXPECT_EQ(r->time_missing, is_private ? unpredicted::none : unpredicted::not_executed);
          EXPECT_EQ(static_cast<bool>(r->time), is_private);
          const report whole{"sm_90", "emulated", *parse_machine("sm_90"), {*r}, {}, {}};
          EXPECT_EQ(to_json(whole).find(R"("time_missing": "not_executed")") != std::string::npos, !is_private);
          return done{};
        });
    EXPECT_TRUE(ran) << to_text(ran.error());
  }
}

// Only the blocks of the sample write their results. These blocks are the first blocks of the order.
TEST(Sample, RunsNoOtherBlocks) {
  for (const std::uint64_t ctas : {1, 2, 5}) {
    const auto run = test::run_kernel({.cubin = "bench/kernels/speed.cubin",
                                       .kernel = "one_store",
                                       .grid = {8, 1, 1},
                                       .arguments = {"out:i32[256]", "i32=256"},
                                       .ctas = ctas});
    ASSERT_TRUE(run) << to_text(run.error());
    block_order order({8, 1, 1});
    std::set<std::uint64_t> chosen;
    for (std::uint64_t n = 0; n < ctas; ++n) chosen.insert(order.block_at(n));
    const auto out = run->buffer<int>(0);
    for (int i = 0; i < 256; ++i)
      EXPECT_EQ(out[static_cast<std::size_t>(i)], chosen.contains(static_cast<std::uint64_t>(i) / 32) ? i : 0) << i;
  }
}

// If there is enough time, all blocks run. The report then equals the report of a run without a time limit.
TEST(Time, IsExactWhereAllBlocksRun) {
  for (const test::example& e : test::all_examples()) {
    SCOPED_TRACE(e.launch.kernel);
    const auto plain = test::run_kernel(e.launch);
    test::kernel_launch timed = e.launch;
    timed.time = emulate::time_limit{std::chrono::hours(1), std::chrono::hours(2)};
    const auto run = test::run_kernel(timed);
    ASSERT_TRUE(plain && run);
    e.check(*run);
    const launch_report &a = plain->launch(), &b = run->launch();
    EXPECT_FALSE(b.scaled);
    EXPECT_TRUE(b.within.empty());
    EXPECT_EQ(a.ctas_executed, b.ctas_executed);
    EXPECT_EQ(a.sum, b.sum);
    ASSERT_EQ(a.sites.size(), b.sites.size());
    for (std::size_t i = 0; i < a.sites.size(); ++i) {
      EXPECT_EQ(static_cast<const counts&>(a.sites[i]), static_cast<const counts&>(b.sites[i]));
      EXPECT_TRUE(b.sites[i].within.empty());
    }
  }
}

// A run with a time limit executes the same blocks as a run with --ctas and the same number of blocks.
TEST(Time, LeavesASample) {
  for (const unsigned threads : {1u, 3u}) {
    test::kernel_launch what{.cubin = "tests/kernels/uneven.cubin",
                             .kernel = "stripes",
                             .grid = {32, 32, 1},
                             .block = {64, 1, 1},
                             .arguments = {"out:f32[65536]"},
                             .threads = threads,
                             .time = emulate::time_limit{std::chrono::nanoseconds(1), std::chrono::hours(1), 7}};
    const auto timed = test::run_kernel(what);
    ASSERT_TRUE(timed) << to_text(timed.error());
    const launch_report& a = timed->launch();
    EXPECT_TRUE(a.scaled);
    EXPECT_GE(a.ctas_executed, 7u);
    EXPECT_LE(a.ctas_executed, 7u + threads);
    what.time.reset();
    what.ctas = a.ctas_executed;
    const auto sample = test::run_kernel(what);
    ASSERT_TRUE(sample) << to_text(sample.error());
    const launch_report& b = sample->launch();
    EXPECT_EQ(a.sum, b.sum);
    EXPECT_EQ(a.within, b.within);
    ASSERT_EQ(a.sites.size(), b.sites.size());
    for (std::size_t i = 0; i < a.sites.size(); ++i) {
      EXPECT_EQ(static_cast<const counts&>(a.sites[i]), static_cast<const counts&>(b.sites[i]));
      EXPECT_EQ(a.sites[i].within, b.sites[i].within);
    }
  }
}

// If some blocks do not end in time, the other blocks are not a sample. The unfinished blocks may have the highest
// cost.
TEST(Time, StopsWhatDoesNotEnd) {
  for (const std::uint64_t blocks : {1u, 40u}) {
    const auto run =
        test::run_kernel({.cubin = "tests/kernels/faults.cubin",
                          .kernel = "spins",
                          .grid = {static_cast<std::uint32_t>(blocks), 1, 1},
                          .arguments = {"i32[1]=0"},
                          .time = emulate::time_limit{std::chrono::milliseconds(5), std::chrono::milliseconds(30)}});
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->launch().partial.why, early_end::reason::time);
    EXPECT_FALSE(run->launch().scaled);
    EXPECT_EQ(run->launch().ctas_executed, 0u);
    EXPECT_GE(run->launch().ctas_begun, 1u);
  }
}

// Blocks that wait for each other are not a sample. They run to the end, or until the time is over.
TEST(Time, IsNoSampleWhereBlocksWait) {
  const emulate::time_limit ample{std::chrono::nanoseconds(1), std::chrono::hours(1)};
  const auto waits = test::run_kernel({.cubin = "tests/kernels/waiting.cubin",
                                       .kernel = "waits_for_later",
                                       .grid = {40, 1, 1},
                                       .arguments = {"i32[40]=zero", "i32[41]=zero"},
                                       .time = ample});
  ASSERT_TRUE(waits) << to_text(waits.error());
  EXPECT_EQ(waits->launch().ctas_executed, 40u);
  EXPECT_FALSE(waits->launch().scaled);
  const auto meets = test::run_kernel({.cubin = "tests/kernels/waiting.cubin",
                                       .kernel = "meets_grid",
                                       .grid = {8, 1, 1},
                                       .arguments = {"i32[256]=iota", "i32=1"},
                                       .cooperative = true,
                                       .time = ample});
  ASSERT_TRUE(meets) << to_text(meets.error());
  EXPECT_EQ(meets->launch().ctas_executed, 8u);
  EXPECT_FALSE(meets->launch().scaled);
}

// If blocks of the sample wait for other blocks, all blocks run in order, and each block runs once.
TEST(Time, RunsTheBlocksThatOthersWaitFor) {
  const std::uint32_t blocks = 600;
  const std::string n = std::to_string(blocks), many = std::to_string(blocks * 256);
  test::kernel_launch what{
      .cubin = "tests/kernels/waiting.cubin",
      .kernel = "scans",
      .grid = {blocks, 1, 1},
      .block = {256, 1, 1},
      .arguments = {"i32[" + many + "]=iota", "out:i32[" + many + "]", "i32[" + n + "]=zero", "i32[" + n + "]=zero"}};
  const auto whole = test::run_kernel(what);
  ASSERT_TRUE(whole) << to_text(whole.error());
  what.time = emulate::time_limit{std::chrono::hours(1), std::chrono::hours(2)};
  for (const std::uint64_t sample : {0u, 1u, 4u, 64u}) {
    SCOPED_TRACE(sample);
    what.ctas = sample;
    const auto run = test::run_kernel(what);
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->launch().ctas_executed, blocks);
    EXPECT_FALSE(run->launch().scaled);
    EXPECT_FALSE(run->launch().partial);
    EXPECT_EQ(run->buffer<int>(1), whole->buffer<int>(1));
    ASSERT_EQ(run->launch().sites.size(), whole->launch().sites.size());
  }
  // If not all blocks run within the time, the report says so.
  what.ctas = 4;
  what.time = emulate::time_limit{std::chrono::nanoseconds(1), std::chrono::milliseconds(1)};
  const auto short_run = test::run_kernel(what);
  ASSERT_TRUE(short_run) << to_text(short_run.error());
  EXPECT_EQ(short_run->launch().partial.why, early_end::reason::time);
}

// The blocks of a cluster run together. In a sample, a cluster counts as one block.
TEST(Sample, HasWholeClusters) {
  test::kernel_launch what{.cubin = "tests/kernels/clusters.cubin",
                           .kernel = "passes_around",
                           .grid = {64, 1, 1},
                           .arguments = {"out:i32[2048]", "i32=3"}};
  const auto all = test::run_kernel(what);
  what.ctas = 20;
  const auto some = test::run_kernel(what);
  ASSERT_TRUE(all && some);
  EXPECT_EQ(some->launch().ctas_executed, 20u);
  EXPECT_TRUE(some->launch().scaled);
  EXPECT_EQ(all->launch().sum.executed, some->launch().sum.executed);
}

// The number of CPU threads does not change the intervals.
TEST(Sample, DoesNotDependOnThreads) {
  test::kernel_launch what{.cubin = "tests/kernels/uneven.cubin",
                           .kernel = "sparse_rows",
                           .grid = {600, 1, 1},
                           .block = {64, 1, 1},
                           .arguments = {"out:f32[38400]", "u32[600]=random:1", "u32[65536]=random:1"},
                           .threads = 1,
                           .ctas = 50};
  const auto one = test::run_kernel(what);
  what.threads = 5;
  const auto five = test::run_kernel(what);
  ASSERT_TRUE(one && five);
  EXPECT_EQ(one->launch().sum, five->launch().sum);
  EXPECT_EQ(one->launch().within, five->launch().within);
  for (std::size_t i = 0; i < one->launch().sites.size(); ++i)
    EXPECT_EQ(one->launch().sites[i].within, five->launch().sites[i].within);
}

// All blocks of a cooperative launch wait for each other, so all blocks run. A sample would wait forever.
TEST(Sample, IsTheWholeWhereBlocksMeet) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/waiting.cubin",
                                     .kernel = "meets_grid",
                                     .grid = {8, 1, 1},
                                     .arguments = {"i32[256]=iota", "i32=1"},
                                     .cooperative = true,
                                     .ctas = 4});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->launch().ctas_executed, 8u);
  EXPECT_FALSE(run->launch().scaled);
}

TEST(Sample, EndsWhereBlocksWaitForOneThatIsLeftOut) {
  fault_kind kind = fault_kind::none;
  const auto run = test::run_kernel({.cubin = "tests/kernels/waiting.cubin",
                                     .kernel = "waits_for_later",
                                     .grid = {40, 1, 1},
                                     .arguments = {"i32[40]=zero", "i32[41]=zero"},
                                     .ctas = 8,
                                     .fault = &kind});
  ASSERT_FALSE(run);
  EXPECT_EQ(kind, fault_kind::deadlock);
  EXPECT_NE(run.error().message.find("wait for blocks outside"), std::string::npos) << run.error().message;
}

// The blocks that run at the same time take a lock one after another.
TEST(Sample, MayShareALock) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/waiting.cubin",
                                     .kernel = "locks",
                                     .grid = {40, 1, 1},
                                     .arguments = {"i32[1]=zero", "i32[1]=zero"},
                                     .ctas = 8});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->buffer<int>(1), std::vector<int>{8});
}

}  // namespace
}  // namespace bankwise
