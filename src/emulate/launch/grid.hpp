// Runs the blocks of a launch on the cores of this machine: in parallel, or in turns if one may see results of another.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "emulate/block/worker.hpp"
#include "emulate/counting/block_order.hpp"
#include "emulate/launch/fault_report.hpp"

namespace bankwise::emulate {

// Block numbers are numbers of clusters, which are usually one block.
struct grid_plan {
  grid_extent grid{};        // of the launch
  std::uint64_t blocks = 0;  // how many run; if fewer than all, a sample
  std::optional<time_limit> time;
  unsigned workers = 1;  // side by side
  std::uint32_t cluster_blocks = 1;
  // Blocks take turns on one worker: if a block seems to wait for another, the others run, and one more begins.
  bool in_turns = false;
  std::uint64_t most_resident = 1;  // limit of blocks that have begun and not ended
  bool all_at_once = false;         // all of them begin before the first continues
  // runs one block for all that behave alike (launch_state::followed), in parallel
  bool by_class = false;
  // For a kernel that asks for the work of clusters that have not begun: how many run at the same time. 0: no cluster
  // gets the work of another one.
  std::uint64_t places = 0;
  class spare_blocks* spare = nullptr;  // from an earlier launch of this code; null if none are kept
};

struct grid_result {
  std::uint64_t finished = 0, begun = 0;  // clusters
  std::uint64_t counted = 0;              // the blocks that they represent, including themselves
  whole_counts sum;
  std::uint64_t executed = 0;  // warp instructions, without those of represented blocks
  stop_reason stopped = stop_reason::none;
  out_of_bounds_accesses out_of_bounds;
  std::map<unsigned, block_sum> instructions;  // for a sample: by class of clusters
  // Returns the results, or the place where the launch stopped. For a failure or a used-up budget, the place does not
  // depend on the number of workers.
  std::optional<fault_report> failure;
};

grid_result run_grid(const launch_state& s, const grid_plan& plan, const launch_hooks& hooks);

}  // namespace bankwise::emulate
