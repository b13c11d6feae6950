// Applies an executed instruction to the class of its block (block_class.hpp). The instruction's results get forms, and
// its conditions reduce the class.
//
//     IMAD R2, UR4, 0x80, R0     R2 gets 128 * b.x: executed again with the next block's operands, and compared
//     ISETP.GE P0, R2, 0x1000    the class ends where another lane would pass
#pragma once

#include "emulate/code/micro_op.hpp"

namespace bankwise::emulate {

// Runs u.checked, and applies the instruction to the class of the block (worker::blocks).
step run_followed(worker& m, const micro_op& u, std::uint32_t mask);

}  // namespace bankwise::emulate
