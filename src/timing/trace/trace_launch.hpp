// Executes a few blocks of a launch for their trace. Memory does not change, because a child process with a copy of it
// executes them.
#pragma once

#include <optional>

#include "bankwise/arch.hpp"
#include "emulate/launch/launch.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// Traces the blocks of one multiprocessor for about three turns. Also traces which memory the other blocks of the first
// turn access. Nothing if the launch cannot be traced, or took too long.
std::optional<launch_trace> trace_launch(const emulate::launch& l, emulate::device_memory& memory,
                                         const bank_model& banks);

// The blocks to trace. Visible for tests.
struct traced_choice {
  std::vector<std::uint64_t> whole;     // traced completely, in the order in which they begin
  std::vector<std::uint64_t> touching;  // other blocks, of which only the accessed memory is traced
  std::uint64_t instructions_a_block = 0;
  bool in_order = false;
  std::uint32_t multiprocessors = 132;
};
traced_choice choose_blocks(std::uint64_t blocks, std::uint32_t multiprocessors, std::uint32_t blocks_each,
                            bool in_order);

}  // namespace bankwise::timing
