// Which function executes an opcode.
#pragma once

#include "emulate/launch.hpp"
#include "emulate/micro_op.hpp"

namespace bankwise::emulate {

// The handlers that are compiled for the best instruction set that this CPU has and that may be used.
const handler_table& handlers(instruction_use use = instruction_use::best);

}  // namespace bankwise::emulate
