// Tests blocks that wait for each other, and mbarriers.
#include <gtest/gtest.h>

#include <numeric>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::fault_kind;

constexpr const char* cubin = "tests/kernels/waiting.cubin";

TEST(Grid, MeetsAtGridSync) {
  const int blocks = 300, side = 64, n = blocks * side, rounds = 3;
  std::vector<int> expected(n);
  std::iota(expected.begin(), expected.end(), 0);
  for (int r = 0; r < rounds; ++r) {
    const std::vector<int> before = expected;
    for (int i = 0; i < n; ++i) expected[i] += before[(i + side) % n];
  }
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "meets_grid",
                                     .grid = {blocks, 1, 1},
                                     .block = {side, 1, 1},
                                     .arguments = {"i32[" + std::to_string(n) + "]=iota", "i32=3"},
                                     .cooperative = true});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->buffer<int>(0), expected);
}

TEST(Grid, SyncTrapsInAnOrdinaryLaunch) {
  fault_kind kind = fault_kind::none;
  const auto run = test::run_kernel(
      {.cubin = cubin, .kernel = "meets_grid", .arguments = {"i32[32]=iota", "i32=1"}, .fault = &kind});
  ASSERT_FALSE(run);
  EXPECT_EQ(kind, fault_kind::trap);
}

TEST(Grid, MustBeResident) {
  // With blocks of two warps, 32 blocks fit on each of 132 multiprocessors.
  for (const auto& [blocks, fits] : {std::pair{4224u, true}, {4225u, false}}) {
    fault_kind kind = fault_kind::none;
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = "meets_grid",
                                       .grid = {blocks, 1, 1},
                                       .block = {64, 1, 1},
                                       .arguments = {"i32[" + std::to_string(blocks * 64) + "]=iota", "i32=0"},
                                       .cooperative = true,
                                       .fault = &kind});
    EXPECT_EQ(static_cast<bool>(run), fits);
    EXPECT_EQ(kind, fits ? fault_kind::none : fault_kind::cooperative_too_large);
  }
}

TEST(Blocks, MayWaitForLaterOnes) {
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "waits_for_later",
                                     .grid = {40, 1, 1},
                                     .block = {64, 1, 1},
                                     .arguments = {"i32[41]=0", "i32[41]=0"}});
  ASSERT_TRUE(run) << to_text(run.error());
  for (int b = 0; b < 40; ++b) EXPECT_EQ(run->buffer<int>(1)[b], 39 - b);
}

TEST(Blocks, WaitWithPlainLoads) {
  for (const char* kernel : {"waits_plainly", "waits_asleep", "waits_at_barriers", "waits_acquiring"}) {
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = kernel,
                                       .grid = {40, 1, 1},
                                       .block = {32, 1, 1},
                                       .arguments = {"i32[40]=0", "out:i32[40]"},
                                       .budget = 1 << 24});
    ASSERT_TRUE(run) << kernel << to_text(run.error());
    EXPECT_EQ(run->launch().ctas_executed, 40u) << kernel;
    for (int b = 0; b < 40; ++b) EXPECT_EQ(run->buffer<int>(1)[b], 40 - b) << kernel;
  }
}

TEST(Blocks, WaitForWhatNeverComes) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/faults.cubin",
                                     .kernel = "spins",
                                     .grid = {4, 1, 1},
                                     .arguments = {"i32[1]=0"},
                                     .budget = 1 << 20});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->launch().partial.why, early_end::reason::budget);
  EXPECT_EQ(run->launch().ctas_executed, 0u);
}

TEST(Blocks, ScanInOnePass) {
  const int blocks = 50, n = blocks * 256;
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "scans",
                                     .grid = {blocks, 1, 1},
                                     .block = {256, 1, 1},
                                     .arguments = {"i32[" + std::to_string(n) + "]=1",
                                                   "out:i32[" + std::to_string(n) + "]", "i32[50]=0", "i32[50]=0"}});
  ASSERT_TRUE(run) << to_text(run.error());
  for (int i = 0; i < n; ++i) ASSERT_EQ(run->buffer<int>(1)[i], i + 1);
}

TEST(Blocks, TakeALockInTurn) {
  const auto run =
      test::run_kernel({.cubin = cubin, .kernel = "locks", .grid = {100, 1, 1}, .arguments = {"i32[1]=0", "i32[1]=0"}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->buffer<int>(1)[0], 100);
}

TEST(Mbarrier, TellsItsState) {
  const auto run =
      test::run_kernel({.cubin = cubin, .kernel = "tells_state", .block = {4, 1, 1}, .arguments = {"out:u32[28]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  const std::vector<std::uint32_t> expected = {10, 10, 10, 10,  // each lane gets the state before its operation
                                               6,  5,  4,  3,   // the lanes arrive one after another
                                               0,  0,  0,  0,   // not complete
                                               0,  0,  0,  0,   // all lanes have arrived, but bytes are still missing
                                               1,  1,  1,  1,   // all bytes have arrived
                                               10, 10, 10, 10,  // the lanes arrive, and are not expected again
                                               6,  6,  6,  6};  // the next phase expects four arrivals fewer
  EXPECT_EQ(run->buffer<std::uint32_t>(0), expected);
}

TEST(Mbarrier, HandsABufferToAndFro) {
  const auto run = test::run_kernel(
      {.cubin = cubin, .kernel = "hands_over", .block = {64, 1, 1}, .arguments = {"out:i32[32]", "i32=5"}});
  ASSERT_TRUE(run) << to_text(run.error());
  for (int t = 0; t < 32; ++t) EXPECT_EQ(run->buffer<int>(0)[t], 1000 + 5 * (31 - t));
}

// Even without a budget, the emulator detects the endless wait. 8 of the 40 expected bytes never arrive, because a copy
// moves a multiple of 16 bytes.
TEST(Mbarrier, WaitsForEverForBytes) {
  for (const std::uint32_t cluster : {1u, 2u}) {
    fault_kind kind = fault_kind::none;
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = "copies_bulk",
                                       .grid = {2, 1, 1},
                                       .block = {64, 1, 1},
                                       .arguments = {"i32[64]=iota", "out:i32[64]", "i32=40"},
                                       .cluster = {cluster, 1, 1},
                                       .fault = &kind});
    ASSERT_FALSE(run);
    EXPECT_EQ(kind, fault_kind::deadlock);
    const std::string text = to_text(run.error());
    EXPECT_NE(text.find("warp 0 waits for the mbarrier at shared address"), std::string::npos) << text;
    EXPECT_NE(text.find(": 8 bytes are missing"), std::string::npos) << text;
    EXPECT_NE(text.find("block (0,0,0), warp 1 waits"), std::string::npos) << text;
    EXPECT_EQ(text.find("block (1,0,0), warp 0 waits") != std::string::npos, cluster == 2) << text;
  }
}

constexpr const char* incomplete = "tests/kernels/incomplete_phases.cubin";
result<test::kernel_run> run_incomplete(const std::string& kernel, fault_kind* kind) {
  return test::run_kernel(
      {.cubin = incomplete, .kernel = kernel, .block = {64, 1, 1}, .arguments = {"out:i32[64]"}, .fault = kind});
}

// These loops only end after a phase is complete. They may also sleep, count and read clocks.
TEST(Mbarrier, NoticesLoopsThatWaitForEver) {
  for (const char* const kernel :
       {"lacks_an_arrival", "lacks_a_commit", "has_a_time_hint", "sleeps_longer", "others_meet"}) {
    fault_kind kind = fault_kind::none;
    const auto run = run_incomplete(kernel, &kind);
    ASSERT_FALSE(run) << kernel;
    EXPECT_EQ(kind, fault_kind::deadlock) << kernel;
    const std::string text = to_text(run.error());
    EXPECT_NE(text.find("warp 0 waits for the mbarrier at shared address 0x4"), std::string::npos) << kernel << text;
    EXPECT_NE(text.find("All threads that could end this wait are also waiting"), std::string::npos) << kernel << text;
  }
}

// These loops can end without a complete phase. So they are never endless loops, even if they test the phase very
// often.
TEST(Mbarrier, LetsLoopsGiveUp) {
  for (const char* const kernel : {"gives_up_by_clock", "gives_up_by_count", "gives_up_after_time"}) {
    const auto run = run_incomplete(kernel, nullptr);
    ASSERT_TRUE(run) << kernel << to_text(run.error());
    for (const int x : run->buffer<int>(0)) ASSERT_EQ(x, 1) << kernel;
  }
  const auto late = run_incomplete("arrives_late", nullptr);
  ASSERT_TRUE(late) << to_text(late.error());
  EXPECT_EQ(late->buffer<int>(0)[32], 1);
}

TEST(Mbarrier, ThreadsDropOut) {
  const auto run =
      test::run_kernel({.cubin = cubin, .kernel = "drops_out", .block = {256, 1, 1}, .arguments = {"out:i32[1]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->buffer<int>(0)[0], 32 * (8 * 7 / 2));
}

TEST(Mbarrier, PipelinesCopies) {
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "pipelines",
                                     .block = {128, 1, 1},
                                     .arguments = {"i32[1024]=iota", "out:i32[128]", "i32=8"}});
  ASSERT_TRUE(run) << to_text(run.error());
  for (int t = 0; t < 128; ++t) EXPECT_EQ(run->buffer<int>(1)[t], 128 * 28 + 8 * (t ^ 1));
}

// Like every shared address, the address of cp.async contains the block's rank in its upper bits.
TEST(Mbarrier, PipelinesCopiesInABlockOfACluster) {
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "pipelines",
                                     .grid = {2, 1, 1},
                                     .block = {128, 1, 1},
                                     .arguments = {"i32[1024]=iota", "out:i32[128]", "i32=8"},
                                     .cluster = {2, 1, 1}});
  ASSERT_TRUE(run) << to_text(run.error());
  for (int t = 0; t < 128; ++t) EXPECT_EQ(run->buffer<int>(1)[t], 128 * 28 + 8 * (t ^ 1));
}

TEST(Mbarrier, CompletesBulkCopies) {
  const auto run = test::run_kernel({.cubin = cubin,
                                     .kernel = "copies_bulk",
                                     .block = {256, 1, 1},
                                     .arguments = {"i32[256]=iota", "out:i32[256]", "i32=1024"}});
  ASSERT_TRUE(run) << to_text(run.error());
  for (int t = 0; t < 256; ++t) EXPECT_EQ(run->buffer<int>(1)[t], 1000 + t);
}

TEST(Mbarrier, RefusesMoreArrivalsThanItExpects) {
  fault_kind kind = fault_kind::none;
  const auto run = test::run_kernel(
      {.cubin = cubin, .kernel = "arrives_too_often", .block = {1, 1, 1}, .arguments = {"out:u64[1]"}, .fault = &kind});
  ASSERT_FALSE(run);
}

}  // namespace
}  // namespace bankwise
