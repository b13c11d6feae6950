// What a multiprocessor executes, and on which GPU. All units of the multiprocessor read these values.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/code_change.hpp"
#include "timing/multiprocessor/free_resources.hpp"
#include "timing/trace/launch_trace.hpp"
#include "timing/trace/line_sharing.hpp"

namespace bankwise::timing {

struct multiprocessor_setup {
  const launch_trace* trace = nullptr;
  const std::vector<instruction_cost>* costs = nullptr;  // the cost of each instruction of trace->code
  const line_sharing* sharing = nullptr;
  gpu_parameters gpu;
  free_resources free;
  std::uint32_t slots = 1;  // number of blocks that are resident together
  double active = 132;      // number of multiprocessors that have blocks
  double l1_bytes = 128 * 1024;
  std::uint64_t most_instructions = 0;  // the run stops after this number of instructions; 0 means no limit
  double most_clocks =
      std::numeric_limits<double>::infinity();  // the run stops at the first instruction after this clock
  bool counts_stalls = false;
  // A change for each instruction; null if no instruction changes.
  const std::vector<code_change>* changes = nullptr;
  struct block {
    std::uint32_t index = 0;  // index in trace->blocks
    std::uint32_t copy = 0;   // 0, or the number of a copy of the block; a copy has separate memory
  };
  std::vector<block> blocks;  // the blocks, in the order in which they begin

  const instruction_cost& cost(std::uint32_t code) const { return (*costs)[code]; }
  // Returns the change of an instruction, or null if there is none.
  const code_change* change(std::uint32_t code) const { return changes == nullptr ? nullptr : &(*changes)[code]; }
  unsigned barrier_group(std::uint32_t code) const { return changes == nullptr ? 0 : (*changes)[code].barrier_group; }
  // Returns the number of instructions that a changed source adds before an instruction.
  double added_before(std::uint32_t code) const { return changes == nullptr ? 0 : (*changes)[code].added; }
};

}  // namespace bankwise::timing
