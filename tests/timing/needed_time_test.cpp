// Tests the time that a launch needs for its bytes and its arithmetic.
#include "timing/launch/needed_time.hpp"

#include <gtest/gtest.h>

namespace bankwise::timing {
namespace {

const gpu_parameters gpu;

// A launch of one block with one warp on each multiprocessor, which executes one instruction `times` times.
launch_trace launch_of(const traced_code& code, std::uint32_t times, std::uint16_t lanes = 32) {
  launch_trace t;
  t.grid = {static_cast<std::uint32_t>(gpu.multiprocessors), 1, 1};
  t.code = {code};
  traced_warp& w = t.blocks.emplace_back().warps.emplace_back();
  for (std::uint32_t i = 0; i < times; ++i) w.runs.push_back({0, 1, 0, 0, lanes});
  t.blocks[0].instructions = w.instructions = times;
  t.instructions = std::uint64_t{times} * t.grid_blocks();
  t.memory.emplace().blocks = t.grid_blocks();
  return t;
}

needed_time needed_by(const launch_trace& t, const gpu_parameters& on = gpu) {
  std::vector<instruction_cost> costs;
  for (const traced_code& c : t.code) costs.push_back(cost_of({c.low, c.high, sass::isa_of(t.sm)}));
  return needed_time_of(t, costs, on, 1e12);
}

touched_region reads(double bytes) { return {bytes, false, {bytes, bytes / 2, bytes}, {}}; }
touched_region writes(double bytes) { return {bytes, false, {}, {bytes, bytes / 2, bytes}}; }

constexpr traced_code ffma{0, 0x223, std::uint64_t{4} << 41};
constexpr traced_code move{0, 0x202, std::uint64_t{4} << 41};  // MOV R0, R0

TEST(NeededTime, IsUnknownWithoutTheBytesOfTheBlocks) {
  launch_trace t = launch_of(ffma, 1000);
  t.memory.reset();
  EXPECT_EQ(needed_by(t).cycles, 0);
}

TEST(NeededTime, IsThatOfDramForBytesThatAreReadOnce) {
  launch_trace t = launch_of(move, 10);
  t.memory->regions = {reads(64e6)};
  const needed_time n = needed_by(t);
  EXPECT_NEAR(n.cycles, gpu.launch_cycles + 64e6 / gpu.dram_total, gpu.dram_latency);
  EXPECT_EQ(n.read_bytes, 64e6);
  EXPECT_FALSE(n.is_arithmetic);
  // What L2 already has does not come from DRAM.
  t.memory->regions = {reads(8e6)};
  gpu_parameters warm = gpu;
  warm.warm_caches = 1;
  EXPECT_LT(needed_by(t, warm).cycles - gpu.launch_cycles, 0.5 * (needed_by(t).cycles - gpu.launch_cycles));
}

TEST(NeededTime, LeavesTheLastStoresInL2) {
  launch_trace t = launch_of(move, 10);
  t.memory->regions = {writes(16e6)};
  EXPECT_NEAR(needed_by(t).cycles, gpu.launch_cycles + 16e6 / gpu.l2_store_total, 1);
  t.memory->regions = {reads(64e6), writes(64e6)};
  EXPECT_NEAR(needed_by(t).cycles, gpu.launch_cycles + (128e6 - gpu.l2_dirty_bytes) / gpu.dram_total, gpu.dram_latency);
}

TEST(NeededTime, IsThatOfTheArithmeticIfItTakesLonger) {
  // A multiprocessor executes four warps' FFMA in a clock.
  const needed_time n = needed_by(launch_of(ffma, 40'000));
  EXPECT_NEAR(n.cycles, gpu.launch_cycles + 10'000, 1);
  EXPECT_TRUE(n.is_arithmetic);
  EXPECT_NEAR(needed_by(launch_of(ffma, 40'000, 8)).cycles, gpu.launch_cycles + 2'500, 1)
      << "full warps would do the work of eight lanes in a quarter of the time";
  EXPECT_EQ(needed_by(launch_of(move, 40'000)).cycles, gpu.launch_cycles) << "a copy of a register is not work";
}

// IADD3 R2, R2, 1 is work if its result is stored, and not if it is the address of the store.
TEST(NeededTime, DoesNotNeedTheComputationOfAddresses) {
  constexpr traced_code add{0, 0x0000000102027810, 0x000fe20007ffe0ff}, exit{0, 0x000000000000794d, 0x000fea0003800000};
  constexpr traced_code store_value{0, 0x0000000204007986, 0x000fe2000c101904};    // STG.E [R4.64], R2
  constexpr traced_code store_address{0, 0x0000000402007986, 0x000fe2000c101904};  // STG.E [R2.64], R4
  const auto cycles_with = [&](const traced_code& store) {
    launch_trace t = launch_of(add, 40'000);
    t.code = {add, store, exit};
    for (std::size_t i = 0; i < t.code.size(); ++i) t.code[i].pc = 16 * i;
    t.sections = {{"", 0, 0, 3}};
    return needed_by(t).cycles;
  };
  EXPECT_GT(cycles_with(store_value), gpu.launch_cycles + 10'000);
  EXPECT_EQ(cycles_with(store_address), gpu.launch_cycles);
}

}  // namespace
}  // namespace bankwise::timing
