// Tests bulk copies between global and shared memory.
#include "timing/multiprocessor/bulk_copies.hpp"

#include <gtest/gtest.h>

#include "timing/memory_units.hpp"
#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

// The lines of a bulk copy of `bytes` by each warp, the mbarrier that counts them, and the test of this mbarrier.
small_launch copying(unsigned bytes, unsigned rounds) {
  small_launch l;
  l.add({.pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::UBLKCP});
  l.add({.write_barrier = 0, .pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::SYNCS_PHASECHK});
  l.add({.wait_mask = 1});
  traced_warp w;
  for (unsigned round = 0; round < rounds; ++round) {
    const auto first = static_cast<std::uint32_t>(l.trace.accesses.size());
    const auto lines = static_cast<std::uint16_t>(bytes / 128);
    l.trace.accesses.push_back({.code = 0,
                                .space = memory_space::bulk,
                                .lines = lines,
                                .first_line = static_cast<std::uint32_t>(l.trace.lines.size())});
    for (unsigned i = 0; i < lines; ++i) l.trace.lines.push_back((std::uint64_t{round} * lines + i) << 4 | 15);
    l.trace.lines.push_back(64);
    l.trace.accesses.push_back({.code = 1,
                                .space = memory_space::mbarrier,
                                .lines = 1,
                                .first_line = static_cast<std::uint32_t>(l.trace.lines.size())});
    l.trace.lines.push_back(64 | std::uint64_t{round + 1} << 32);
    w.runs.push_back({0, 3, first, 2, 32});
  }
  l.trace.blocks.assign(1, {});
  l.trace.blocks[0].warps.push_back(w);
  return l;
}

double clocks_of_copies(unsigned bytes, unsigned rounds, free_resources without = {}) {
  const small_launch l = copying(bytes, rounds);
  const line_sharing sharing(l.trace);
  multiprocessor_setup s;
  s.trace = &l.trace;
  s.costs = &l.costs;
  s.sharing = &sharing;
  without.launch = without.fetch = true;
  s.free = without;
  s.blocks = {{0, 0}};
  return run_multiprocessor(s).cycles;
}

TEST(BulkCopies, WhoTestsTheMbarrierWaitsForTheBytes) {
  const gpu_parameters p;
  EXPECT_GT(clocks_of_copies(16384, 10), 10 * (p.dram_latency - p.dram_alone)) << "each round waits for DRAM";
  EXPECT_GT(clocks_of_copies(65536, 10), clocks_of_copies(16384, 10) + 10 * 49152 / p.l2_port)
      << "the port to L2 limits";
  EXPECT_LT(clocks_of_copies(16384, 10, {.l2 = true, .dram = true, .latency = true}), 10 * 200);
}

// Measured on an H200: one thread stores 16 KB, and waits until the copy has read shared memory, in 514 clocks.
TEST(BulkCopies, WhoWaitsForAStoreWaitsForItsLines) {
  small_launch l;
  l.active = 1;
  l.add({.pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::UBLKCP});
  l.add({.read_barrier = 0, .pipe = pipe::uniform, .does = behaviour::bulk_commit});
  l.add({.wait_mask = 1});
  l.accesses = {in_lines(l, 0, memory_space::bulk, memory_action::store, 128, 15)};
  EXPECT_NEAR(l.run(1, 100) / 100, 514, 10);
}

TEST(BulkCopies, TheFirstTensorCopyOfAnInstructionReadsTheTensorMap) {
  const instruction_cost load{.op = sass::opcode::UTMALDG};
  const traced_access a{.space = memory_space::bulk, .lines = 1};
  memory_units u(load, {a}, 1);
  u.trace.lines[1] = launch_trace::no_mbarrier;
  bulk_copies unit(u.setup, u.memory, u.stage, u.barriers_of_copies);
  const gpu_parameters& p = u.setup.gpu;
  const double starts = p.tensor_latency - p.bulk_earlier;
  EXPECT_EQ(unit.copy(load, a, u.warp, 0), starts + p.tensor_map_latency);
  EXPECT_EQ(unit.copy(load, a, u.warp, 100), starts + p.tensor_map_latency) << "the first copy reads it";
  EXPECT_EQ(unit.copy(load, a, u.warp, 5000), 5000 + starts);
}

TEST(BulkCopies, TheEngineReadsALineOfSharedMemoryPerClock) {
  const instruction_cost store{.op = sass::opcode::UBLKCP};
  const traced_access a{.space = memory_space::bulk, .does = memory_action::store, .lines = 1000};
  memory_units u(store, {a}, 1000, {.l2 = true, .dram = true});
  bulk_copies unit(u.setup, u.memory, u.stage, u.barriers_of_copies);
  const double begins = unit.copy(store, a, u.warp, 500);
  EXPECT_EQ(begins, 500 - u.setup.gpu.bulk_earlier);
  EXPECT_EQ(u.warp.bulk_read, begins + 1000);
}

}  // namespace
}  // namespace bankwise::timing
