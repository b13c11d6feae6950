// Which function executes an opcode.
#pragma once

#include "emulate/launch.hpp"
#include "emulate/micro_op.hpp"

namespace bankwise::emulate {

// Those that are compiled for the best instruction set of this CPU that is to be used.
const handler_table& handlers(instruction_use use = instruction_use::best);

}  // namespace bankwise::emulate
