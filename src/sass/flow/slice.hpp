// Finds the part of a function's code that determines its accesses to shared memory: their addresses, active lanes and
// order.
//
//     S2R R0, SR_TID.X                needed: R2 is computed from R0
//     LDG.E R4, desc[UR4][R6.64]      not needed, and neither is R6
//     LEA R2, R0, UR6, 0x2            needed
//     STS [R2], R4                    an access: its address is needed, its stored value is not needed
//     @P0 BRA 0x40                    needed, with the origins of P0
//
// This is a backward slice (code_flow.hpp). Instructions outside the slice can be skipped. Accesses to shared memory,
// branches, barriers and the number of executed instructions then stay the same. If a needed value is loaded from
// shared, local or global memory, all stores to this memory are needed. If accesses to global memory are counted, R6 of
// the example is needed, because it is an address.
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

struct slice {
  // for each instruction: whether it is needed; every instruction is needed if the code cannot be analysed
  std::vector<bool> needed;
  // for each instruction: whether only its address in global memory or on the stack is needed
  std::vector<bool> told;
  std::vector<bool> data_needed;  // for each instruction: whether the values that it stores are also needed
  space loaded = space::none;     // the memories from which needed values are loaded, except constant memory
  space written = space::none;    // the memories that needed instructions write
};

// If `tells_global` is true, the addresses of accesses to global memory and to the stacks are also needed.
slice slice_of(const code_flow& code, bool tells_global = false);
// The places that an access in slice::told reads for its guard and its address.
places told_reads(const code_flow& code, std::uint32_t n);

}  // namespace bankwise::sass
