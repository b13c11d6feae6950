// The function that executes each opcode.
#pragma once

#include "emulate/code/micro_op.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// The handlers compiled for the best permitted instruction set of this CPU.
const handler_table& handlers(instruction_use use = instruction_use::best);

}  // namespace bankwise::emulate
