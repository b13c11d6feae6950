// Tests the use of resources, computed from known counts.
#include "timing/launch/resource_use.hpp"

#include <gtest/gtest.h>

namespace bankwise::timing {
namespace {

struct counted {
  launch_trace trace;
  std::vector<instruction_cost> costs;
  multiprocessor_run run;

  void add(instruction_cost c, std::uint64_t executed, std::uint64_t special_register = 0) {
    trace.code.push_back({0, 0, special_register << 8});
    costs.push_back(c);
    run.executed.push_back(executed);
    run.instructions += executed;
  }
  resource_use use(double multiprocessors = 132, double times = 1) const {
    return use_of(trace, costs, run, {}, multiprocessors, times, 1000);
  }
};

TEST(ResourceUse, IssueIsOfFourAClock) {
  counted c;
  c.add({.pipe = pipe::none}, 3000);
  EXPECT_DOUBLE_EQ(c.use().issue, 0.75);
  EXPECT_DOUBLE_EQ(c.use(66).issue, 0.375) << "the mean is over all multiprocessors, and only half of them have blocks";
  EXPECT_DOUBLE_EQ(c.use(132, 1.2).issue, 0.9);
}

TEST(ResourceUse, EachPipeHasItsRate) {
  const auto pipes_of = [](instruction_cost i, std::uint64_t special_register = 0) {
    counted c;
    c.add(i, 400, special_register);
    return c.use().pipes;
  };
  EXPECT_DOUBLE_EQ(pipes_of({.pipe = pipe::alu}), 0.2);
  EXPECT_DOUBLE_EQ(pipes_of({.pipe = pipe::fma}), 0.1);
  EXPECT_DOUBLE_EQ(pipes_of({.pipe = pipe::fma_heavy}), 0.2);
  EXPECT_DOUBLE_EQ(pipes_of({.pipe = pipe::special}), 0.8);
  EXPECT_DOUBLE_EQ(pipes_of({.pipe = pipe::memory, .does = behaviour::memory}), 0.4);
  EXPECT_DOUBLE_EQ(pipes_of({.does = behaviour::barrier}), 0.8);
  EXPECT_DOUBLE_EQ(pipes_of({.pipe = pipe::special, .op = sass::opcode::S2R}, 33), 0.4) << "SR_TID.X";
  EXPECT_DOUBLE_EQ(pipes_of({.pipe = pipe::special, .op = sass::opcode::S2R}, 37), 0.8) << "SR_CTAID.X";
}

TEST(ResourceUse, TexturesUseL1) {
  counted c;
  c.run.data_stage = 100;
  c.run.textures = 700;
  EXPECT_DOUBLE_EQ(c.use().l1, 0.7);
}

TEST(ResourceUse, MemoryByWhatMoves) {
  counted c;
  c.run.data_stage = 400;
  c.run.traffic.dram_read = 1000 * gpu_parameters{}.dram_peak / 132 / 2;
  EXPECT_DOUBLE_EQ(c.use().l1, 0.4);
  EXPECT_DOUBLE_EQ(c.use().dram, 0.5);
  EXPECT_GT(c.use().l2, 0.3) << "half of the data from DRAM crosses between the halves of L2";
  EXPECT_LT(c.use().l2, 0.5);
}

}  // namespace
}  // namespace bankwise::timing
