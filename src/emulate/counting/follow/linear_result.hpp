// Results that are linear in blockIdx, or parts of linear values: sums, products, moves.
//
//     IMAD R2, UR4, 0x80, R0     R2 gets 128 * b.x: executed again as the next block would, and compared
#pragma once

#include "emulate/counting/follow/followed_operation.hpp"

namespace bankwise::emulate {

// Finds the factors by executing the instruction again, one block further on each axis.
step follow_linear(followed_operation& o);

// For upper words and carries: only the axes are known.
step follow_part(followed_operation& o);

}  // namespace bankwise::emulate
