// Follows shifts, minima and masks. Their results stay the same while an operand stays in a range, or depend only on
// some bits of the operand.
//
//     SHF.R.U32.HI R2, RZ, 0x6, R4     R2 stays while R4 stays under the next multiple of 64
//     LOP3.LUT R2, R4, 0x7f, ...       R2 stays while nothing is carried into the low 7 bits
#pragma once

#include "emulate/counting/follow/followed_operation.hpp"

namespace bankwise::emulate {

// The result does not change while the operand stays in a range around its current value.
step follow_monotone(followed_operation& o);

// The result does not change while no carry reaches the bits on which it depends. A result that depends on the lowest
// changing bits changes together with these bits.
step follow_bits(followed_operation& o);

}  // namespace bankwise::emulate
