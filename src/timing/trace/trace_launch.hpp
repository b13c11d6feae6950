// Executes a few blocks of a launch for their trace. Memory stays as it is: that is done in a child process, whose
// memory is a copy.
#pragma once

#include <optional>

#include "bankwise/arch.hpp"
#include "emulate/launch/launch.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// A trace of the blocks of one multiprocessor, for about three turns; and of the memory that the other blocks of its
// first turn access. Nothing if the launch cannot be traced, or took too long.
std::optional<launch_trace> trace_launch(const emulate::launch& l, emulate::device_memory& memory,
                                         const bank_model& banks);

// Which blocks are traced, for tests.
struct traced_choice {
  std::vector<std::uint64_t> whole;     // with all that they do, as they begin
  std::vector<std::uint64_t> touching;  // in addition to these, for the memory that they access
  std::uint64_t instructions_a_block = 0;
  bool in_order = false;
  std::uint32_t multiprocessors = 132;
};
traced_choice choose_blocks(std::uint64_t blocks, std::uint32_t multiprocessors, std::uint32_t blocks_each,
                            bool in_order);

}  // namespace bankwise::timing
