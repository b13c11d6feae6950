// Runs the blocks of a launch on the cores of this machine. Blocks run in parallel, or they take turns if a block may
// see results of another block.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "emulate/block/worker.hpp"
#include "emulate/counting/block_order.hpp"
#include "emulate/turns/fault_report.hpp"

namespace bankwise::emulate {

// How the blocks run. All numbers of blocks count clusters. A cluster usually consists of one block.
struct grid_plan {
  grid_extent grid{};
  std::uint64_t blocks = 0;  // number of blocks that run; if the launch has more blocks, these blocks are a sample
  std::optional<time_limit> time;
  unsigned workers = 1;  // number of threads that run blocks in parallel
  std::uint32_t cluster_blocks = 1;
  // Blocks take turns on one worker. If a block seems to wait for another block, the other blocks get turns, and a
  // further block begins.
  bool in_turns = false;
  std::uint64_t most_resident = 1;  // largest number of blocks that have begun and not ended
  bool all_at_once = false;         // all blocks begin before any block continues
  // Only with in_turns: resident blocks begin together and take brief turns, so that they share a queue of work as on a
  // GPU. Otherwise, the first block would take all work.
  bool shares_work = false;
  // runs one block of each class (launch_state::followed), in parallel
  bool by_class = false;
  // For a kernel that asks for the work of clusters that have not begun: the number of clusters that run at the same
  // time. If 0, no cluster gets the work of another cluster.
  std::uint64_t places = 0;
  class spare_blocks* spare = nullptr;  // blocks that an earlier launch of this code has kept; null if there are none
};

struct grid_result {
  std::uint64_t finished = 0, begun = 0;  // numbers of clusters that have ended and that have begun
  std::uint64_t counted = 0;              // number of clusters that were executed or represented by an executed cluster
  whole_counts sum;
  std::uint64_t executed = 0;  // executed warp instructions, without those of represented blocks
  stop_reason stopped = stop_reason::none;
  out_of_bounds_accesses out_of_bounds;
  std::map<unsigned, block_sum> instructions;  // for a sample: sums of instructions, by class of clusters
  // The place where the launch stopped. Nothing if the launch did not stop. For a failure or a used-up budget, the
  // place does not depend on the number of workers.
  std::optional<fault_report> failure;
};

grid_result run_grid(const launch_state& s, const grid_plan& plan, const launch_hooks& hooks);

}  // namespace bankwise::emulate
