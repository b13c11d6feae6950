// Gives every call its own copy of the called function, so that values from one call do not flow to the code after
// another call.
//
//     0x10  MOV R16, 0x30            0x10
//     0x20  CALL.REL 0x80            0x20 -> copy of 0x80
//     0x30  ...                      0x30 <- copy of 0x90 for the call at 0x20, and no other RET
//     0x80  MUFU.RCP R15, R21
//     0x90  RET.REL R16              the number in R16 is followed through copies of registers
//
// For example, ptxas puts the slow path of a division into a function, and data decide whether the function is called.
// Without copies, each call would seem to lead to the code after every other call of the function. Everything would
// then seem to depend on data.
#pragma once

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

// Returns the code with one copy of the called function for each call. The nodes of the copies follow the nodes of the
// code (code_flow::copy_of). Returns the code unchanged if it is not complete, has no calls or would become too long.
code_flow with_call_copies(const code_flow& code);

}  // namespace bankwise::sass
