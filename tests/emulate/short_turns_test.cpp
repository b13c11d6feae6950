// Tests that warps that leave a barrier together stay in step, so that kernels without a barrier have the results of a
// GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr int blocks = 3;

std::vector<int> input(std::size_t count) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i * 2654435761u >> 9 & 0xffe) + 1;
  return all;
}

struct expectation {
  const char* kernel;
  bool for_block = false;  // whether each block has one result, instead of one result for each thread
  int tiles = 0;           // the value of the third argument; 0 if there is none
  std::function<int(const int* in, int threads, int t)> value;
};

int sum_of(const int* in, int threads, int) { return std::accumulate(in, in + threads, 0); }
int scan_of(const int* in, int, int t) { return std::accumulate(in, in + t + 1, 0); }

const expectation table[] = {
    {"sum_volatile", true, 0, sum_of},
    {"sum_sync_warp", true, 0, sum_of},
    {"sum_shuffle", true, 0, sum_of},
    {"sum_of_warps", true, 0, sum_of},
    {"sum_bare", true, 0, sum_of},
    {"scan_one_buffer", false, 0, scan_of},
    {"scan_two_buffers", false, 0, scan_of},
    {"broadcast", false, 0, [](const int* in, int, int) { return in[0]; }},
    {"reverse", false, 0, [](const int* in, int threads, int t) { return in[threads - 1 - t]; }},
    {"shift", false, 5, [](const int* in, int threads, int t) { return in[(t + threads - 5) % threads]; }},
    {"tiles", false, 4,
     [](const int* in, int threads, int t) {
       int sum = 0;
       for (int i = 0; i < 4 * threads; ++i) sum += in[i] * (1 + (t + i % threads) % 3);
       return sum;
     }},
    {"producer", false, 6,
     [](const int* in, int, int t) {
       int sum = 0;
       for (int i = 0; i < 6 * 32; ++i)
         if (t >= 32 || i % 32 == t) sum += in[i];
       return sum;
     }},
};

int words_of_block(const expectation& e, int threads) {
  const std::string kernel = e.kernel;
  if (kernel == "tiles") return e.tiles * threads;
  if (kernel == "producer") return e.tiles * 32;
  return threads;
}

void expect_right(const expectation& e, int threads, emulate::instruction_use use) {
  SCOPED_TRACE(std::string(e.kernel) + ", " + std::to_string(threads) + " threads");
  const int words = words_of_block(e, threads), outputs = e.for_block ? 1 : threads;
  const std::vector<int> in = input(static_cast<std::size_t>(blocks * words));
  std::vector<std::string> arguments{"out:i32[" + std::to_string(blocks * outputs) + "]",
                                     "i32[" + std::to_string(in.size()) + "]=file:in.bin"};
  if (e.tiles != 0) arguments.push_back("i32=" + std::to_string(e.tiles));
  const auto run = test::run_kernel({.cubin = "tests/kernels/missing_barriers.cubin",
                                     .kernel = e.kernel,
                                     .grid = {blocks, 1, 1},
                                     .block = {static_cast<std::uint32_t>(threads), 1, 1},
                                     .shared = static_cast<std::uint32_t>(2 * threads * 4),
                                     .arguments = arguments,
                                     .files = {{"in.bin", test::bytes_of(in)}},
                                     .use = use});
  ASSERT_TRUE(run) << to_text(run.error());
  std::vector<int> expected;
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < outputs; ++t) expected.push_back(e.value(in.data() + b * words, threads, t));
  EXPECT_EQ(run->buffer<int>(0), expected);
  // The watch sees the first accesses of a block only, which are too few for the race between tiles of large blocks.
  if (e.tiles == 0 || threads <= 512) {
    EXPECT_FALSE(run->launch().hazards.empty());
  }
}

TEST(ShortTurns, GiveTheResultsOfAGpu) {
  for (const auto use : {emulate::instruction_use::best, emulate::instruction_use::interpret})
    for (const expectation& e : table)
      for (const int threads : {64, 128, 256, 512, 1024})
        if (threads > 64 || e.tiles != 0) expect_right(e, threads, use);
}

TEST(ShortTurns, GiveTheResultsOfUnrolledSums) {
  expect_right({"sum_unrolled_128", true, 0, sum_of}, 128, emulate::instruction_use::best);
  expect_right({"sum_unrolled_1024", true, 0, sum_of}, 1024, emulate::instruction_use::best);
}

TEST(ShortTurns, DoNotDependOnTheNumberOfWorkers) {
  std::vector<int> first;
  for (const unsigned workers : {1u, 2u, 5u}) {
    const auto run = test::run_kernel({.cubin = "tests/kernels/missing_barriers.cubin",
                                       .kernel = "reverse",
                                       .grid = {200, 1, 1},
                                       .block = {1024, 1, 1},
                                       .shared = 4096,
                                       .arguments = {"out:i32[204800]", "i32[204800]=iota"},
                                       .threads = workers});
    ASSERT_TRUE(run) << to_text(run.error());
    if (first.empty()) first = run->buffer<int>(0);
    EXPECT_EQ(run->buffer<int>(0), first);
  }
}

// In a loop without a barrier, turns end only a few times. Warps that use their own parts of shared memory do not race.
TEST(ShortTurns, LeaveRightKernelsAlone) {
  constexpr int threads = 96, rounds = 300;
  const auto run = test::run_kernel({.cubin = "tests/kernels/missing_barriers.cubin",
                                     .kernel = "own_parts",
                                     .block = {threads, 1, 1},
                                     .shared = threads * 4,
                                     .arguments = {"out:i32[96]", "i32=300"}});
  ASSERT_TRUE(run) << to_text(run.error());
  std::vector<int> expected(threads);
  std::iota(expected.begin(), expected.end(), 0);
  for (int i = 0; i < rounds; ++i) {
    const std::vector<int> before = expected;
    for (std::size_t t = 0; t < threads; ++t) expected[t] = before[t ^ 1] + i;
  }
  EXPECT_EQ(run->buffer<int>(0), expected);
  EXPECT_TRUE(run->launch().hazards.empty());
}

}  // namespace
}  // namespace bankwise
