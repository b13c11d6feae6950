// The message for a launch that cannot continue: the error, with the instruction, its source line, the block, warp and
// lane.
#pragma once

#include <cstdint>
#include <string>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

struct fault_report {
  fault_kind kind = fault_kind::none;
  diagnostic error;
};

// The fault that a handler stored in the worker, for the instruction at this address.
fault_report report_fault(const worker& m, std::uint64_t pc);
// Lanes of the instruction at this address access memory just outside an allocation. Counts the access, and keeps the
// first one.
void note_out_of_bounds(worker& m, std::uint64_t pc, access_direction does, std::uint32_t bytes, std::uint32_t lanes,
                        std::uint64_t address);
// Execution left the code, for this address.
fault_report report_jump_outside(const worker& m, std::uint64_t pc);
// No path of the block can continue.
fault_report report_deadlock(worker& m);
// All warps of the block wait, some of them for mbarriers that never complete.
fault_report report_endless_wait(worker& m, class endless_waits& waits);
// A block, or the launch as a whole, executed more instructions than the budget allows.
fault_report report_endless_block(worker& m);
fault_report report_spent_budget(const launch& l);
// Advice for an access outside the block's shared memory.
std::string shared_size_hint(const launch& l);
// The launch was stopped on request while this warp was next.
fault_report report_interruption(worker& m);
// The blocks of a sample wait for blocks that do not run.
fault_report report_missing_blocks(const launch& l, std::uint64_t blocks);

}  // namespace bankwise::emulate
