// The handler that executes each opcode.
#pragma once

#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// The handlers for the best instruction set that this CPU supports and `use` permits.
const handler_table& handlers(instruction_use use = instruction_use::best);

}  // namespace bankwise::emulate
