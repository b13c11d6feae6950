// Which function executes an opcode.
#pragma once

#include "emulate/micro_op.hpp"

namespace bankwise::emulate {

// Those that are compiled for the best instruction set of this CPU.
const handler_table& handlers();

}  // namespace bankwise::emulate
