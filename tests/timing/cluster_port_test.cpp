// Tests accesses to the shared memory of other blocks of a cluster.
#include "timing/multiprocessor/cluster_port.hpp"

#include <gtest/gtest.h>

#include "timing/small_launch.hpp"

namespace bankwise::timing {
namespace {

// Measured on an H200: a chain of loads from another block's shared memory takes 198 to 222 clocks for each load with
// its loop; 32 warps load a word for each lane every 7.7 clocks.
TEST(ClusterPort, LoadsFromOtherBlocksHaveALatencyAndARate) {
  small_launch l;
  l.add({.write_barrier = 0, .pipe = pipe::memory, .does = behaviour::memory, .op = sass::opcode::LD});
  l.add({.wait_mask = 1});
  l.accesses = {{.code = 0, .space = memory_space::asynchronous, .wavefronts = 0}};
  EXPECT_NEAR(l.run(1, 200) / 200, 198, 10);
  EXPECT_NEAR(l.run(32, 200) / (32 * 200), 7.7, 0.4);
}

TEST(ClusterPort, PassesWideAccessesMoreSlowly) {
  const unit_setup u({});
  cluster_port port;
  const instruction_cost wide{.registers = 4, .op = sass::opcode::ST};
  EXPECT_EQ(port.access(wide, u.setup, 10).leaves, 10);
  const cluster_port::answer next = port.access(wide, u.setup, 10);
  EXPECT_EQ(next.leaves, 10 + 4 * u.setup.gpu.cluster_store_clocks);
  EXPECT_EQ(next.done, next.leaves + u.setup.gpu.cluster_latency);
}

}  // namespace
}  // namespace bankwise::timing
