// The handler that executes each opcode.
#pragma once

#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// The handlers for the best instruction set that this CPU supports and `use` permits.
const handler_table& handlers(instruction_use use = instruction_use::best);

// The handler of an instruction whose result is not needed.
step leave_out(worker& m, const micro_op& u, std::uint32_t mask);

}  // namespace bankwise::emulate
