// Which function executes an opcode.
#pragma once

#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// The handlers that are compiled for the best instruction set that this CPU has and that may be used.
const handler_table& handlers(instruction_use use = instruction_use::best);

}  // namespace bankwise::emulate
