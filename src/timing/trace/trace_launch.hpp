// Executes a few blocks of a launch to trace them. A child process executes the blocks with a copy of the memory, so
// the memory of this process stays the same.
#pragma once

#include <optional>

#include "bankwise/arch.hpp"
#include "emulate/launch/launch.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// Traces the blocks of one multiprocessor, about three times as many as are resident together. Also traces which memory
// other blocks access, if they begin at the same time. Returns nothing if the launch cannot be traced, or if the trace
// takes too long.
std::optional<launch_trace> trace_launch(const emulate::launch& l, emulate::device_memory& memory,
                                         const bank_model& banks);

// The blocks to trace. Only tests use this struct outside of trace_launch.cpp.
struct traced_choice {
  std::vector<std::uint64_t> whole;     // completely traced blocks, in the order of their start
  std::vector<std::uint64_t> touching;  // other blocks, for which only the accessed memory is traced
  std::uint64_t instructions_a_block = 0;
  bool in_order = false;
  std::uint32_t multiprocessors = 132;
};
traced_choice choose_blocks(std::uint64_t blocks, std::uint32_t multiprocessors, std::uint32_t blocks_each,
                            bool in_order);

}  // namespace bankwise::timing
