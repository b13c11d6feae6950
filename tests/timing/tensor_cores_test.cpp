// Tests products of warp groups (wgmma).
#include "timing/multiprocessor/tensor_cores.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

// A product of a warp group, which keeps the tensor cores busy for 32 clocks.
instruction_cost wgmma(bool ends_group) {
  return {.pipe = pipe::tensor,
          .interval = 32,
          .does = behaviour::matrix_group,
          .operand_wavefronts = 32,
          .ends_group = ends_group};
}
instruction_cost wait_for_products(std::uint16_t remaining) {
  return {.does = behaviour::group_wait, .remaining = remaining};
}

TEST(Products, KeepTheTensorCoresBusy) {
  small_launch l;
  for (int i = 0; i < 16; ++i) l.add(wgmma(i == 15));
  l.add(wait_for_products(0));
  const double latency = gpu_parameters().product_latency;
  EXPECT_NEAR(l.run(4, 100), 100 * (16 * 32 + latency), 800)
      << "one warp group, which waits for each group of products";
  EXPECT_NEAR(l.run(8, 100), 200 * 16 * 32, 800) << "two warp groups share the tensor cores, and hide the latency";
}

TEST(Products, AGroupMayStayInFlight) {
  small_launch waits, passes;
  for (auto* l : {&waits, &passes}) {
    l->add(wgmma(true));
    l->add(wait_for_products(l == &waits ? 0 : 1));
  }
  EXPECT_NEAR(passes.run(4, 200), 200 * 32, 200);
  EXPECT_GT(waits.run(4, 200), 200 * 60);
}

TEST(Products, AWarpWaitsForTheOldestGroups) {
  running_warp w;
  w.groups = {100, 200, 300};
  EXPECT_EQ(end_of_groups(w, 3), 0);
  EXPECT_EQ(end_of_groups(w, 1), 200);
  EXPECT_EQ(w.groups, std::vector<double>{300});
  EXPECT_EQ(end_of_groups(w, 0), 300);
}

// A loop of instructions 0 and 1, of which the second waits. After the loop, the warp stores. In the first round, a changed
// source leaves one group in flight.
TEST(Products, AGroupMayStayInFlightUntilTheLoopEnds) {
  launch_trace t;
  t.accesses = {{.code = 2, .space = memory_space::global, .does = memory_action::store}};
  traced_warp rounds;
  rounds.runs = {{.code = 0, .count = 2},
                 {.code = 0, .count = 2},
                 {.code = 2, .count = 1, .accesses = 1},
                 {.code = 0, .count = 2}};
  running_warp w;
  w.trace = &rounds;
  w.in_run = 1;
  w.groups = {100};
  EXPECT_EQ(end_of_kept_groups(t, w, 0), 0);
  EXPECT_EQ(w.changed.products_end, 100) << "the buffers of this group are free then";
  w.run = 1;
  w.groups = {100, 200};
  EXPECT_EQ(end_of_kept_groups(t, w, 0), 200) << "the warp leaves the loop";
}

TEST(Products, ReadTheirOperandsThroughTheDataStage) {
  const unit_setup u({wgmma(true)});
  data_stage stage(false);
  pipes_of_quarter pipes;
  running_warp w;
  stage.pass(0, 500);  // accesses of other warps
  const double end = multiply(wgmma(true), w, pipes, stage, u.setup, 0);
  const gpu_parameters& p = u.setup.gpu;
  EXPECT_EQ(end, 500 + 32 / 4 - p.product_ahead + p.product_latency) << "each warp of the group reads a quarter";
  EXPECT_EQ(w.groups, std::vector<double>{end});
}

// An H200's samples, which Nsight Compute shows: the first HGMMA waits at warpgroup_arrive, and WARPGROUP.DEPBAR for the
// products. No HGMMA waits at math_pipe_throttle.
TEST(Products, WaitsHaveTheNamesOfNsightCompute) {
  small_launch l;
  l.add({.does = behaviour::group_start});
  for (int i = 0; i < 4; ++i) l.add(wgmma(i == 3));
  l.add(wait_for_products(0));
  const std::vector<stall_clocks> stalls = l.follow(8, 20).stalls;
  const auto clocks = [&](std::size_t code, stall_reason why) {
    return stalls[code].by_reason[static_cast<std::size_t>(why)];
  };
  EXPECT_GT(clocks(1, stall_reason::warpgroup_arrive), 8 * 20 * 5);
  EXPECT_GT(clocks(5, stall_reason::products), 8 * 20 * 20);
  for (std::size_t code = 0; code < stalls.size(); ++code) EXPECT_EQ(clocks(code, stall_reason::math_pipe_throttle), 0);
}

}  // namespace
}  // namespace bankwise::timing
