// Tests the accesses of memory instructions.
#include "timing/multiprocessor/accesses.hpp"

#include <gtest/gtest.h>

#include "timing/memory_units.hpp"
#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

TEST(Accesses, SharedMemoryHasItsLatency) {
  for (const unsigned wavefronts : {1u, 2u, 8u, 32u}) {
    small_launch l;
    l.add(lds(0, 1));
    l.accesses = {{.code = 0, .wavefronts = static_cast<std::uint16_t>(wavefronts)}};
    // An access takes 23 clocks, and each further wavefront takes 2 clocks.
    EXPECT_NEAR(l.run(1, 200) / 200, 23 + 2 * (wavefronts - 1), 0.5) << wavefronts;
  }
}

TEST(Accesses, ConflictsAreFreeIfAskedFor) {
  small_launch l;
  l.add(lds(no_barrier, 0));
  l.accesses = {{.code = 0, .wavefronts = 16}};
  const double as_it_is = l.run(32, 50);
  EXPECT_NEAR(l.run(32, 50, {.conflicts = true}) / as_it_is, 1.0 / 16, 0.02);
}

// Measured on an H200 (data/sm_90/tensor_times.csv): four warps copy 16 bytes for each lane 24 times, and wait. A round
// takes 1,276 clocks if eight lines have two sectors each, and 869 clocks if four lines are whole.
TEST(Accesses, CopiesThatDoNotPassL1TakeClocksForEachLine) {
  const auto clocks = [](unsigned lines, unsigned sectors) {
    small_launch l;
    l.active = 1;
    for (std::uint32_t n = 0; n < 24; ++n) {
      l.add({.pipe = pipe::memory, .does = behaviour::memory, .past_l1 = true, .op = sass::opcode::LDGSTS});
      l.accesses.push_back({.code = n, .does = memory_action::copy, .wavefronts = 4, .bytes = 16});
      l.accesses.push_back(in_lines(l, n, memory_space::global, memory_action::copy, lines, sectors));
    }
    l.add({.write_barrier = 0, .pipe = pipe::memory, .does = behaviour::commit});
    l.add({.wait_mask = 1});
    l.add({.does = behaviour::barrier});
    return l.run(4, 64) / 64;
  };
  EXPECT_NEAR(clocks(8, 3), 1276, 0.1 * 1276);
  EXPECT_NEAR(clocks(4, 15), 869, 0.1 * 869);
}

// Executes an instruction once, and returns the clocks of the data stage.
double stage_clocks(const instruction_cost& c, const traced_access& a, free_resources without = {}) {
  memory_units u(c, {a}, a.lines, without);
  accesses unit(u.setup, u.memory, u.stage, u.barriers_of_copies);
  unit.execute(c, u.warp, u.queue, 0);
  return u.stage.busy();
}

TEST(Accesses, AStoreOfBytesFirstReadsTheirWords) {
  const gpu_parameters p;
  const traced_access whole{.does = memory_action::store, .wavefronts = 1, .bytes = 1, .same_word = 0};
  traced_access part = whole;
  part.same_word = 1;
  EXPECT_EQ(stage_clocks(lds(7, 0), whole), 1);
  EXPECT_EQ(stage_clocks(lds(7, 0), part), p.part_of_word);
}

TEST(Accesses, ACopyThatDoesNotPassL1LeavesWavefrontsToOthers) {
  instruction_cost copy = lds(7, 0);
  const traced_access writes{.does = memory_action::copy, .wavefronts = 8};
  EXPECT_EQ(stage_clocks(copy, writes), 8);
  copy.past_l1 = true;
  EXPECT_EQ(stage_clocks(copy, writes), 8 * gpu_parameters().copy_writes);
}

TEST(Accesses, ToOtherBlocksWaitInTheQueue) {
  instruction_cost load = lds(7, 0);
  load.op = sass::opcode::LD;
  memory_units u(load, {2, {.space = memory_space::asynchronous, .wavefronts = 1}});
  accesses unit(u.setup, u.memory, u.stage, u.barriers_of_copies);
  unit.execute(load, u.warp, u.queue, 0);
  EXPECT_EQ(u.queue.leaves[0], u.setup.gpu.cluster_load_clocks) << "the port passes the second access after the first";
}

// Returns whether the data stage passes a wavefront soon after many accesses to global memory.
bool is_stage_free_after(memory_action does) {
  constexpr std::uint16_t lines = 32, times = 300;
  const instruction_cost c = lds(7, 0);
  memory_units u(
      c,
      std::vector<traced_access>(times, {.space = memory_space::global, .does = does, .wavefronts = 1, .lines = lines}),
      lines);
  accesses unit(u.setup, u.memory, u.stage, u.barriers_of_copies);
  unit.execute(c, u.warp, u.queue, 0);
  EXPECT_GT(u.queue.leaves[0], 5 * times) << "the last access waits in the queue until L2 accepts it";
  constexpr double each = 8;  // clocks of an instruction in the address unit and the data stage
  return u.stage.pass(0, 1) < each * times + 10;
}

TEST(Accesses, StoresThatWaitStopTheDataStage) {
  EXPECT_FALSE(is_stage_free_after(memory_action::store));
  EXPECT_TRUE(is_stage_free_after(memory_action::update)) << "L2 executes updates";
}

}  // namespace
}  // namespace bankwise::timing
