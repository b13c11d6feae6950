// The same code with each called function once for every call, so that what flows into it by one call does not come out
// behind another.
//
//     0x10  MOV R16, 0x30            0x10
//     0x20  CALL.REL 0x80            0x20 -> copy of 0x80
//     0x30  ...                      0x30 <- copy of 0x90 for the call at 0x20, and no other RET
//     0x80  MUFU.RCP R15, R21
//     0x90  RET.REL R16              R16 is a number that is followed through copies of registers
//
// A division that ptxas gives a slow path is such a function. Without this a branch on data that leads to it seems to lead to
// behind every other call, and everything seems to depend on the data.
#pragma once

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

// Nodes behind those of the code are copies (code_flow::copy_of). As it is where it calls nothing or would become too long.
code_flow with_call_copies(const code_flow& code);

}  // namespace bankwise::sass
