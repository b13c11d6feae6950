// A sample of the blocks of a launch (--ctas), and what is made of its counts.
#include <gtest/gtest.h>

#include <set>

#include "emulate/grid.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::block_at;
using emulate::fault_kind;

std::vector<std::uint64_t> sample(std::uint64_t grid, std::uint64_t blocks) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t n = 0; n < blocks; ++n) chosen.push_back(block_at({.grid = grid, .blocks = blocks}, n));
  return chosen;
}

TEST(Sample, IsSpreadEvenly) {
  EXPECT_EQ(sample(4, 4), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(sample(100, 1), (std::vector<std::uint64_t>{50}));
  EXPECT_EQ(sample(100, 4), (std::vector<std::uint64_t>{12, 37, 62, 87}));
  EXPECT_EQ(sample(10, 3), (std::vector<std::uint64_t>{1, 5, 8}));
  for (const std::uint64_t grid : {7u, 64u, 1000u})
    for (std::uint64_t blocks = 1; blocks <= grid; ++blocks) {
      const auto chosen = sample(grid, blocks);
      EXPECT_EQ(std::set<std::uint64_t>(chosen.begin(), chosen.end()).size(), blocks);
      for (std::uint64_t n = 0; n < blocks; ++n) {  // one in each of equal parts
        EXPECT_GE(chosen[n] + 1, n * grid / blocks) << grid << " " << blocks;
        EXPECT_LT(chosen[n] * blocks, (n + 1) * grid) << grid << " " << blocks;
      }
    }
  // The largest grid.
  const std::uint64_t most = 0x7fffffffull * 65535 * 65535;
  EXPECT_LT(block_at({.grid = most, .blocks = most - 1}, most - 2), most);
}

TEST(Scaling, RoundsToTheNearest) {
  EXPECT_EQ(scaled(10, 64, 5), 128u);
  EXPECT_EQ(scaled(1, 3, 2), 2u);
  EXPECT_EQ(scaled(1, 4, 3), 1u);
  EXPECT_EQ(scaled(~std::uint64_t{0} / 4, 4, 1), ~std::uint64_t{0} / 4 * 4);
}

// Blocks that do the same cost the same: a sample tells as much as all of them.
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

// Only the chosen blocks write: with 2 of 8 these are blocks 2 and 6, which the middle of each half is.
TEST(Sample, RunsNoOtherBlocks) {
  const auto run = test::run_kernel({.cubin = "bench/kernels/speed.cubin",
                                     .kernel = "one_store",
                                     .grid = {8, 1, 1},
                                     .arguments = {"out:i32[256]", "i32=256"},
                                     .ctas = 2});
  ASSERT_TRUE(run) << to_text(run.error());
  const auto out = run->buffer<int>(0);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i / 32 == 2 || i / 32 == 6 ? i : 0) << i;
}

TEST(Sample, IsRefusedWhereBlocksMeet) {
  fault_kind kind = fault_kind::none;
  const auto run = test::run_kernel({.cubin = "tests/kernels/waiting.cubin",
                                     .kernel = "meets_grid",
                                     .grid = {8, 1, 1},
                                     .arguments = {"i32[256]=iota", "i32=1"},
                                     .cooperative = true,
                                     .ctas = 4,
                                     .fault = &kind});
  ASSERT_FALSE(run);
  EXPECT_EQ(kind, fault_kind::invalid_launch);
  EXPECT_NE(run.error().message.find("cooperative"), std::string::npos);
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

// A lock is passed on among those that run.
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
