// Tests the pipes of a quarter, and the facts of their table.
#include "timing/multiprocessor/pipes.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Pipes, PipesTakeTheirTime) {
  small_launch special;
  special.add({.stall = 1, .pipe = pipe::special, .interval = 8});
  EXPECT_NEAR(special.run(4, 500), 8 * 500, 20);
  small_launch heavy;
  heavy.add({.stall = 1, .pipe = pipe::fma_heavy, .interval = 2});
  EXPECT_NEAR(heavy.run(4, 1000), 2000, 20);
}

TEST(Pipes, AFloatInstructionTakesThePipeThatIsFree) {
  const pipe_clocks clocks{gpu_parameters{}};
  pipes_of_quarter pipes;
  pipes.take(ffma(1), clocks, 1, 10);
  EXPECT_EQ(pipes.taken_until(ffma(1), clocks), 0) << "the second pipe is free";
  pipes.take(ffma(1), clocks, 1, 11);
  EXPECT_EQ(pipes.taken_until(ffma(1), clocks), 12) << "both pipes are busy for two clocks";
  EXPECT_EQ(pipes.taken_until({.pipe = pipe::fma_heavy}, clocks), 13) << "the first instruction used fma_lite";
}

TEST(Pipes, ClocksFollowTheGpu) {
  gpu_parameters slow;
  slow.fp64_interval = 64;
  slow.tensor_halves /= 2;
  const pipe_clocks h100{gpu_parameters{}}, other{slow};
  for (std::size_t i = 0; i < pipe_count; ++i) {
    const auto p = static_cast<pipe>(i);
    const double times = p == pipe::fp64 ? 32 : p == pipe::tensor ? 2 : 1;
    EXPECT_DOUBLE_EQ(other.interval_of(p, {.interval = 6}), times * h100.interval_of(p, {.interval = 6}))
        << row_of(p).name;
  }
  EXPECT_EQ(h100.interval_of(pipe::branch, {}), gpu_parameters{}.indirect_interval);
}

// Measured on an H200 (data/sm_90/next_to_products.csv).
TEST(Pipes, AWgmmaSlowsItsNeighbours) {
  const pipe_clocks clocks{gpu_parameters{}};
  const instruction_cost logic{.pipe = pipe::alu, .interval = 2}, special{.pipe = pipe::special, .interval = 8};
  EXPECT_NEAR(clocks.next_to_products(logic, false), 4.02 / 2.24, 0.1);
  EXPECT_NEAR(clocks.next_to_products(special, false), 10.4 / 8.4, 0.1);
  EXPECT_NEAR(clocks.next_to_products(ffma(1), false), 1.465 / 1.228, 0.1);
  EXPECT_NEAR(clocks.next_to_products(ffma(1), true), 2.19 / 1.228, 0.1);
  EXPECT_EQ(clocks.next_to_products({.pipe = pipe::memory}, true), 1);
}

TEST(Pipes, OfAnH100TakeTheClocksOfTheTableOfOpcodes) {
  const pipe_clocks h100{gpu_parameters{}};
  for (const pipe p : {pipe::alu, pipe::fma_heavy, pipe::fp64, pipe::special, pipe::special_register, pipe::tensor})
    EXPECT_EQ(h100.interval_of(p, {.interval = 6}), 6) << row_of(p).name;
}

TEST(Pipes, WhatComputesDoesNotWaitForBarriers) {
  EXPECT_FALSE(waits_for_barriers(ffma(1)));
  EXPECT_FALSE(waits_for_barriers({.pipe = pipe::uniform}));
  EXPECT_TRUE(waits_for_barriers({.pipe = pipe::uniform, .does = behaviour::constant_load}));
  EXPECT_TRUE(waits_for_barriers(lds(0, 0)));
  EXPECT_TRUE(waits_for_barriers({.pipe = pipe::special}));
  EXPECT_TRUE(waits_for_barriers({.pipe = pipe::alu, .does = behaviour::exit}));
}

}  // namespace
}  // namespace bankwise::timing
