// Tests blocks that race on global memory. They run interleaved, as on a GPU, and the report names the instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr const char* cubin = "tests/kernels/block_races.cubin";

// Returns the wavefronts of stores to shared memory, by source line. Each warp that stores takes one wavefront.
std::map<std::uint32_t, std::uint64_t> stores_of(const test::kernel_run& run) {
  std::map<std::uint32_t, std::uint64_t> stores;
  for (const site& s : run.launch().sites)
    if (s.sass.find("STS") != std::string::npos) stores[s.line] += s.wavefronts;
  return stores;
}

bool has_race(const launch_report& l, hazard_kind kind, std::uint32_t first, std::uint32_t second) {
  return std::any_of(l.block_races.begin(), l.block_races.end(), [&](const block_race& r) {
    return r.kind == kind && r.first.line == first && r.second.line == second && r.count != 0;
  });
}

// On an H100, all blocks load before the first block stores (docs/explanation/not-modelled.md).
TEST(BlockRaces, AllLoadBeforeTheFirstStores) {
  for (const unsigned threads : {1u, 4u}) {
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = "every_block_updates",
                                       .grid = {100, 1, 1},
                                       .block = {64, 1, 1},
                                       .arguments = {"i32[64]=1"},
                                       .threads = threads});
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(stores_of(*run)[7], 100u * 2);
    EXPECT_EQ(run->buffer<int>(0), std::vector<int>(64, 11));  // the values are as if only one block had run
    EXPECT_TRUE(has_race(run->launch(), hazard_kind::write_after_read, 6, 9));
  }
}

TEST(BlockRaces, LaterBlocksFindWhatEarlierOnesStored) {
  // The GPU has 132 multiprocessors, which hold 32 blocks each. The grid has more blocks.
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "every_block_updates",
                                     .grid = {5000, 1, 1},
                                     .block = {64, 1, 1},
                                     .arguments = {"i32[64]=1"}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(stores_of(*run)[7], 4224u * 2);
}

TEST(BlockRaces, OfNeighbours) {
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "takes_from_next",
                                     .grid = {10, 1, 1},
                                     .block = {64, 1, 1},
                                     .arguments = {"i32[11*64]=iota"}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_TRUE(has_race(run->launch(), hazard_kind::write_after_read, 16, 19));
  for (int b = 0; b < 10; ++b) EXPECT_EQ(run->buffer<int>(0)[64 * b], 64 * (b + 1) + 63);
}

TEST(BlockRaces, InRounds) {
  const auto run =
      test::run_kernel({.cubin = cubin, .kernel = "rounds", .grid = {8, 1, 1}, .arguments = {"i32[32]=0", "i32=5"}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(stores_of(*run).begin()->second, 8u * 5);
}

TEST(BlockRaces, AreNotWhereEachHasItsOwn) {
  for (const auto& [kernel, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"updates_own", {"i32[100*64]=iota"}},
           {"stores_the_same", {"i32[64]=iota", "out:i32[100*64]"}},
           {"copies", {"i32[64]=iota", "out:i32[64]"}},
           {"updates_bytes", {"u8[100]=1"}},
           {"last_adds", {"i32[100]=0", "u32[1]=0", "out:i32[1]"}}}) {
    const auto run = test::run_kernel(
        {.cubin = cubin, .kernel = kernel, .grid = {100, 1, 1}, .block = {64, 1, 1}, .arguments = arguments});
    ASSERT_TRUE(run) << kernel << to_text(run.error());
    EXPECT_TRUE(run->launch().block_races.empty()) << kernel;
    EXPECT_EQ(run->launch().ctas_executed, 100u) << kernel;
  }
}

}  // namespace
}  // namespace bankwise
