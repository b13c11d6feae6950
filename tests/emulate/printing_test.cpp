// Tests the functions that the CUDA driver supplies to kernels: printf, assert, malloc and free.
// tests/cli/run_printing.test shows the output for users.
#include <gtest/gtest.h>

#include <string>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::fault_kind;

constexpr const char *cubin = "tests/kernels/printing.cubin", *endless = "tests/kernels/endless.cubin";

TEST(Printf, ComesByBlockWhateverTheNumberOfWorkers) {
  std::string expected;
  for (int b = 0; b < 64; ++b)
    for (int t = 0; t < 40; ++t) expected += "block " + std::to_string(b) + " thread " + std::to_string(t) + "\n";
  for (const unsigned workers : {1u, 2u, 7u}) {
    const auto run = test::run_kernel(
        {.cubin = cubin, .kernel = "prints_threads", .grid = {64, 1, 1}, .block = {40, 1, 1}, .threads = workers});
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->printed, expected) << workers << " workers";
  }
}

TEST(Printf, ReturnsHowManyArgumentsThereWere) {
  const auto run = test::run_kernel({.cubin = cubin, .kernel = "counts_arguments", .arguments = {"out:i32[32]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_EQ(run->buffer<int>(0), std::vector<int>(32, 3));
}

TEST(Printf, LanesOfABranchPrintTogether) {
  const auto run = test::run_kernel({.cubin = cubin, .kernel = "prints_in_branches", .block = {4, 1, 1}});
  ASSERT_TRUE(run) << to_text(run.error());
  const bool evens_first = run->printed == "even 0\neven 2\nodd 1\nodd 3\n";
  EXPECT_TRUE(evens_first || run->printed == "odd 1\nodd 3\neven 0\neven 2\n") << run->printed;
}

TEST(Assert, EndsTheLaunchAfterTheBlocksBefore) {
  for (const unsigned workers : {1u, 4u}) {
    std::string printed;
    fault_kind kind = fault_kind::none;
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = "asserts",
                                       .grid = {8, 1, 1},
                                       .block = {4, 1, 1},
                                       .arguments = {"i32=10"},
                                       .threads = workers,
                                       .printed = &printed,
                                       .fault = &kind});
    ASSERT_FALSE(run);
    EXPECT_EQ(kind, fault_kind::assert_failed);
    EXPECT_NE(run.error().message.find("Assertion `i < n` failed"), std::string::npos) << run.error().message;
    std::string expected;
    for (int i = 0; i < 12; ++i) expected += "thread " + std::to_string(i) + "\n";
    for (const char* thread : {"2", "3"})
      expected += std::string("printing.cu:37: void asserts(int): block: [2,0,0], thread: [") + thread +
                  ",0,0] Assertion `i < n` failed.\n";
    EXPECT_EQ(printed, expected) << workers << " workers";
  }
}

TEST(Malloc, HandsOutUntilTheHeapIsFull) {
  // CUDA's heap has 8 MB, unless cudaDeviceSetLimit changes this size. The test allocates all of the heap twice.
  const std::vector<std::pair<int, int>> pieces = {{1 << 20, 8}, {8, 1 << 19}, {100, (8 << 20) / 112}, {9 << 20, 0}};
  for (const auto& [bytes, count] : pieces) {
    const auto run = test::run_kernel({.cubin = cubin,
                                       .kernel = "fills_heap",
                                       .block = {1, 1, 1},
                                       .arguments = {"i32=" + std::to_string(bytes), "out:i32[1]"}});
    ASSERT_TRUE(run) << to_text(run.error());
    EXPECT_EQ(run->buffer<int>(1)[0], count) << bytes;
  }
}

TEST(Printf, HasALimitForEachBlock) {
  fault_kind kind = fault_kind::none;
  std::string printed;
  const auto run = test::run_kernel({.cubin = endless,
                                     .kernel = "prints_for_ever",
                                     .arguments = {"i32[1]=zero"},
                                     .printed = &printed,
                                     .fault = &kind});
  ASSERT_FALSE(run);
  EXPECT_EQ(kind, fault_kind::timeout);
  EXPECT_NE(run.error().message.find("a block prints more than 67,108,864 bytes"), std::string::npos)
      << run.error().message;
  EXPECT_LE(printed.size(), 64u << 20);
}

TEST(Malloc, ForEverEndsWithTheBudget) {
  const auto run = test::run_kernel({.cubin = endless,
                                     .kernel = "allocates_for_ever",
                                     .arguments = {"i32[1]=zero", "out:i32[1]"},
                                     .budget = 1'000'000});
  ASSERT_TRUE(run) << to_text(run.error());
  EXPECT_NE(run->launch().stopped_at.message.find("executed 1,000,000 warp instructions without ending"),
            std::string::npos)
      << run->launch().stopped_at.message;
  EXPECT_EQ(run->buffer<int>(1)[0], (8 << 20) / 1024) << "the number of pieces that fill the heap";
}

TEST(Malloc, FreedTwiceIsAnError) {
  fault_kind kind = fault_kind::none;
  const auto run = test::run_kernel({.cubin = cubin, .kernel = "frees_twice", .block = {1, 1, 1}, .fault = &kind});
  ASSERT_FALSE(run);
  EXPECT_EQ(kind, fault_kind::illegal_address);
}

TEST(Malloc, KeepsWhatOneLaunchMadeForTheNext) {
  emulate::device_heap heap;
  heap.grow(4096, 64);
  const auto a = heap.allocate(1), b = heap.allocate(20), c = heap.allocate(16);
  EXPECT_EQ(a, 4096u);
  EXPECT_EQ(b, 4096u + 16);
  EXPECT_EQ(c, 4096u + 48);
  EXPECT_EQ(heap.allocate(1), 0u);
  EXPECT_TRUE(heap.release(b));
  EXPECT_FALSE(heap.release(b));
  EXPECT_FALSE(heap.release(a + 1));
  EXPECT_TRUE(heap.release(a));
  EXPECT_EQ(heap.allocate(48), 4096u) << "adjacent free pieces are merged";
  EXPECT_TRUE(heap.release(c));
  EXPECT_EQ(heap.allocate(16), c);
}

TEST(Virtual, FunctionsAreFoundThroughObjects) {
  const auto run = test::run_kernel({.cubin = cubin, .kernel = "calls_virtual", .arguments = {"out:i32[32]"}});
  ASSERT_TRUE(run) << to_text(run.error());
  for (int t = 0; t < 32; ++t) EXPECT_EQ(run->buffer<int>(0)[t], t % 2 == 0 ? 4 : 3);
}

}  // namespace
}  // namespace bankwise
