// Follows sums, products and moves: their results are linear in blockIdx, or parts of linear values.
//
//     IMAD R2, UR4, 0x80, R0     R2 gets 128 * b.x, found by an execution with the next block's operands
#pragma once

#include "emulate/counting/follow/followed_operation.hpp"

namespace bankwise::emulate {

// Finds the factors: executes the instruction again for the next block on each axis, and subtracts the results.
step follow_linear(followed_operation& o);

// Follows upper words and carries. Only their axes are known.
step follow_part(followed_operation& o);

}  // namespace bankwise::emulate
