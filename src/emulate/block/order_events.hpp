// Events about the order of accesses that most listeners do not need (launch::tells_all_order): meetings of the lanes of a
// warp, groups of asynchronous copies, and fences.
//
//     STS  [R7], R2
//     NOP                 this is what ptxas makes of __syncwarp() if the lanes are together
//     LDS  R9, [R0]
#pragma once

#include "emulate/code/micro_op.hpp"

namespace bankwise::emulate {

bool makes_order(const micro_op& u);
// Tells the listener about the order that the instruction makes.
void tell_order(worker& m, const micro_op& u, std::uint32_t mask);
// Tells the listener about the order that the instruction makes, and runs its handler micro_op::checked.
step run_told(worker& m, const micro_op& u, std::uint32_t mask);

}  // namespace bankwise::emulate
