// Tests how lanes of a warp diverge and reconverge.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

TEST(Paths, EachCallOfARecursionWaitsForItsOwnLanes) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/recursion.cubin",
                                     .kernel = "recursion",
                                     .block = {64, 1, 1},
                                     .arguments = {"out:i32[64]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  const auto out = run->buffer<int>(0);
  for (int t = 0; t < 64; ++t) {
    const int from = 63 - t;
    EXPECT_EQ(out[static_cast<std::size_t>(t)], fibonacci(from % 12) * 1000 + ackermann(from % 3, from % 5)) << t;
  }
}

// Lane 0 yields while it waits for a different warp, but stays in the region that BSSY.RECONVERGENT began. So all lanes
// are on one path after the region.
TEST(Paths, StayInAReconvergentRegionWhenTheyYield) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/blackwell/yields.cubin",
                                     .kernel = "yields_in_region",
                                     .block = {64, 1, 1},
                                     .arguments = {"u32[1]=zero", "u32[64]=1", "out:u32[33]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  std::vector<std::uint32_t> expected(33, ~0u);
  expected[32] = 1;
  EXPECT_EQ(run->buffer<std::uint32_t>(2), expected);
}

// Replaces the two PMTRIG of yields_in_saved_region by BMOV of barrier B0: to register R40, and back. Returns the name of
// the file with the changed code.
std::string with_saved_barrier(bool clears) {
  std::vector<std::byte> code = test::read_bytes(test::source_path("tests/kernels/blackwell/yields.cubin"));
  constexpr std::uint64_t pmtrig = 0x7801, low_bits = 0xffff;
  constexpr std::uint64_t save = 0x7355 | 40u << 16, restore = 0x7356 | std::uint64_t{40} << 32;
  constexpr std::uint64_t clear = std::uint64_t{1} << (84 - 64);
  unsigned replaced = 0;
  for (std::size_t at = 0; at + 16 <= code.size(); at += 8) {
    std::uint64_t word[2];
    std::memcpy(word, &code[at], sizeof word);
    // the operand of PMTRIG is a mask with one bit
    if ((word[0] & low_bits) != pmtrig || (word[0] >> 32 != 2 && word[0] >> 32 != 4)) continue;
    const bool is_first = replaced++ == 0;
    word[0] = is_first ? save : restore;
    if (is_first && clears) word[1] |= clear;
    std::memcpy(&code[at], word, sizeof word);
  }
  EXPECT_EQ(replaced, 2u);
  const std::string name = testing::TempDir() + "saved_barrier.cubin";
  std::ofstream(name, std::ios::binary).write(reinterpret_cast<const char*>(code.data()), std::ssize(code));
  return name;
}

TEST(Paths, StayInAReconvergentRegionWhoseBarrierWasInARegister) {
  for (const bool clears : {false, true}) {
    const std::string file = with_saved_barrier(clears);
    const auto run = test::run_kernel({.cubin = file,
                                       .kernel = "yields_in_saved_region",
                                       .block = {64, 1, 1},
                                       .arguments = {"u32[1]=zero", "u32[64]=1", "out:u32[33]"}});
    std::filesystem::remove(file);
    ASSERT_TRUE(run) << to_text(run.error());
    std::vector<std::uint32_t> expected(33, ~0u);
    expected[32] = 1;
    EXPECT_EQ(run->buffer<std::uint32_t>(2), expected) << clears;
  }
}

// --- jumps to an address in a register (tests/kernels/switch_table.cu)

struct executions : emulate::listener {
  std::map<std::uint64_t, std::uint64_t> by_pc;
  std::uint64_t lanes = 0;
  void on_block(std::uint64_t) override {}
  emulate::wanted_events wants() const override { return {.accesses = false, .instructions = true}; }
  void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t mask) override {
    lanes += count * static_cast<unsigned>(std::popcount(mask));
    for (; count != 0; --count, pc += 16) ++by_pc[pc];
  }
};

// The hardware issues a BRX again for each further target, with the lanes that have not jumped yet. Its counters of
// instructions and of lanes show this. The counts of single instructions do not. An H100 counted, for 100 rounds of a
// warp with 1, 2, 4 and 8 targets, 0, 100, 300 and 700 further instructions, and 0, 1,600, 4,800 and 11,200 lanes.
void compare_issues(emulate::instruction_use use, std::uint32_t apart) {
  constexpr std::uint64_t rounds = 20, warps = 3;
  executions each;
  const auto ran = test::prepare_kernel(
      {.cubin = "tests/kernels/switch_table.cubin",
       .kernel = "switch_table",
       .block = {32 * warps, 1, 1},
       .arguments = {"out:u32[96]", "u32=" + std::to_string(rounds), "u32=" + std::to_string(apart)},
       .threads = 1},
      [&](emulate::launch l, emulate::device_memory& memory, const placed_arguments&) -> result<done> {
        emulate::launch_hooks hooks;
        hooks.listeners.emplace_back([&](unsigned) { return &each; });
        l.use = use;
        l.compile_after = 0;
        const auto launched = emulate::run_launch(l, memory, hooks);
        if (!launched) return launched.error();
        std::uint64_t executed = 0;
        for (const auto& [pc, times] : each.by_pc) executed += times;
        EXPECT_EQ(launched->sum.warp_instructions, executed + rounds * warps * (apart - 1));
        EXPECT_EQ(launched->sum.active_lanes, each.lanes + rounds * warps * 16 * (apart - 1));
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
}

TEST(IndirectBranch, CountsForEachTargetInTheInstructionsOfTheLaunch) {
  for (const auto use :
       {emulate::instruction_use::interpret, emulate::instruction_use::avx2, emulate::instruction_use::best})
    for (const std::uint32_t apart : {1u, 2u, 4u}) compare_issues(use, apart);
}

// --- lanes that wait at a warp barrier which other lanes do not reach (measured on an H100,
// tests/kernels/warp_barriers.cu)

struct times {
  int behind, end;
};

std::vector<times> times_of(const char* kernel, unsigned threads = 32) {
  const auto run = test::run_kernel({.cubin = "tests/kernels/warp_barriers.cubin",
                                     .kernel = kernel,
                                     .block = {threads, 1, 1},
                                     .arguments = {"out:i32[128]"}});
  EXPECT_TRUE(run) << to_text(run.error());
  return run ? run->buffer<times>(0) : std::vector<times>(64);
}

TEST(WarpBarrier, IsMetByAnotherOne) {
  const auto t = times_of("others_go_round");
  EXPECT_LT(t[31].end, t[0].behind);  // at the end of the branch, the other lanes do not wait for lanes 0 and 1
  EXPECT_EQ(t[0].end, t[1].end);
  EXPECT_LT(t[0].behind, t[0].end);
}

TEST(WarpBarrier, WaitsForLanesThatAreLate) {
  const auto t = times_of("some_are_late");
  EXPECT_GE(t[31].end, 5000);
  EXPECT_EQ(t[2].end, t[31].end);  // lanes 2 to 15 wait for lanes 16 to 31, but not for lanes 0 and 1
  EXPECT_GE(t[0].behind, 5000);
}

TEST(WarpBarrier, IsNotWaitedForAtTheEndOfABranch) {
  const auto t = times_of("within_a_branch");
  EXPECT_LT(t[2].behind, t[0].behind);
  EXPECT_GE(t[0].behind, 3000);
}

TEST(WarpBarrier, DoesNotWaitForLanesThatEnded) {
  const auto t = times_of("others_end");
  EXPECT_GT(t[0].behind, 0);
  EXPECT_GT(t[0].end, t[1].behind);
}

TEST(WarpBarrier, WaitsForeverForLanesThatNeverCome) {
  emulate::fault_kind kind = emulate::fault_kind::none;
  const auto run = test::run_kernel({.cubin = "tests/kernels/warp_barriers.cubin",
                                     .kernel = "nobody_comes",
                                     .arguments = {"out:i32[64]"},
                                     .fault = &kind});
  ASSERT_FALSE(run);
  EXPECT_EQ(kind, emulate::fault_kind::deadlock);
}

// Lanes at different WARPSYNC.ALL instructions do not meet. Lanes at different block barriers do not meet.
TEST(WarpBarrier, IsMetAtTheSamePlaceOnly) {
  for (const char* kernel : {"before_the_block", "in_two_branches"}) {
    SCOPED_TRACE(kernel);
    emulate::fault_kind kind = emulate::fault_kind::none;
    const auto run = test::run_kernel({.cubin = "tests/kernels/warp_barriers.cubin",
                                       .kernel = kernel,
                                       .block = {64, 1, 1},
                                       .arguments = {"out:i32[64]"},
                                       .fault = &kind});
    ASSERT_FALSE(run);
    EXPECT_EQ(kind, emulate::fault_kind::deadlock);
  }
}

TEST(BlockBarrier, TakesTheWholeWarpAlong) {
  const auto t = times_of("half_of_a_warp", 64);
  EXPECT_GT(t[0].behind, 0);
  EXPECT_LT(t[0].behind, t[0].end);
  EXPECT_EQ(t[16].end, t[0].end);
}

}  // namespace
}  // namespace bankwise
