// The message for a launch that cannot continue. It contains the error, the instruction, its source line, the block,
// the warp and the lane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

struct fault_report {
  fault_kind kind = fault_kind::none;
  diagnostic error;
};

// Reports the fault that a handler has stored in the worker. The fault is in the instruction at this address.
fault_report report_fault(const worker& m, std::uint64_t pc);
// Reports that execution left the code and reached this address.
fault_report report_jump_outside(const worker& m, std::uint64_t pc);
// Reports that a warp of the block waits for registers, and no other path can continue. Returns nothing if no warp waits
// for registers.
std::optional<fault_report> report_missing_registers(worker& m);
// Reports that no path of the block can continue.
fault_report report_deadlock(worker& m);
// Reports that all warps of the block wait, and that some of the warps wait for mbarriers that never complete.
fault_report report_endless_wait(worker& m, class endless_waits& waits);
// Report that a block, or the whole launch, executed more instructions than the budget allows.
fault_report report_endless_block(worker& m);
fault_report report_spent_budget(const launch& l);
// Reports that the launch was stopped on request. `m` contains the warp that would have run next.
fault_report report_interruption(worker& m);
// Reports that the blocks of a sample wait for blocks that are not in the sample.
fault_report report_missing_blocks(const launch& l, std::uint64_t blocks);

}  // namespace bankwise::emulate
