// Tests that resident blocks share a queue of work. Blocks that ran one after another would leave all work to the first.
#include <gtest/gtest.h>

#include <map>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using word = std::uint32_t;

test::kernel_launch launch_of(const std::string& kernel, word blocks, word items, unsigned threads = 0) {
  return {.cubin = "tests/kernels/ampere/work_queues.cubin",
          .kernel = kernel,
          .grid = {blocks, 1, 1},
          .block = {128, 1, 1},
          .arguments = {"u32[1]=zero", "u32[" + std::to_string(items) + "]=zero", "f32[4096]=iota",
                        "f32[" + std::to_string(items * 128) + "]=zero", "u32=" + std::to_string(items)},
          .threads = threads};
}

TEST(WorkQueues, AreSharedByResidentBlocks) {
  for (const char* kernel : {"threads_take_rows", "blocks_take_tiles"}) {
    constexpr word blocks = 8, items = 8 * 128 * 6;
    const auto run = test::run_kernel(launch_of(kernel, blocks, items));
    ASSERT_TRUE(run) << to_text(run.error());
    std::map<word, word> taken;
    for (const word block : run->buffer<word>(1)) ++taken[block];
    ASSERT_EQ(taken.size(), blocks) << kernel;
    for (const auto& [block, count] : taken) {
      EXPECT_GT(count, items / blocks * 3 / 4) << kernel << " " << block;
      EXPECT_LT(count, items / blocks * 5 / 4) << kernel << " " << block;
    }
  }
}

TEST(WorkQueues, GiveTheSameResultsForAnyNumberOfThreadsOfTheMachine) {
  const auto one = test::run_kernel(launch_of("threads_take_rows", 300, 40'000, 1));
  const auto four = test::run_kernel(launch_of("threads_take_rows", 300, 40'000, 4));
  ASSERT_TRUE(one) << to_text(one.error());
  ASSERT_TRUE(four) << to_text(four.error());
  EXPECT_EQ(one->buffer<word>(1), four->buffer<word>(1));
  EXPECT_EQ(one->buffer<float>(3), four->buffer<float>(3));
}

}  // namespace
}  // namespace bankwise
