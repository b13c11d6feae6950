// The part of a function's code that what it does to shared memory depends on: addresses, who accesses, and in which
// order.
//
//     S2R R0, SR_TID.X                needed: R2 is made of it
//     LDG.E R4, desc[UR4][R6.64]      not needed, and neither is R6
//     LEA R2, R0, UR6, 0x2            needed
//     STS [R2], R4                    an access: its address is needed, what it stores is not
//     @P0 BRA 0x40                    needed, with what P0 is made of
//
// A backward slice (code_flow.hpp). An instruction that is not needed may be left out: every access to shared memory
// stays as it is, and so do branches, barriers, and how many instructions are executed. Memory is followed by address
// space: where a needed value is loaded from shared, local or global memory, all stores to that space are needed with
// what they store. Where accesses of global memory are counted, the load above is not needed, but told: R6 is needed,
// R4 is not.
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

struct slice {
  std::vector<bool> needed;       // by instruction; all of them if the code cannot be analysed
  std::vector<bool> told;         // not needed, except for its addresses in global memory or the stack
  std::vector<bool> data_needed;  // also the values that it stores
  space loaded = space::none;     // where needed values are loaded from: constants do not count
  space written = space::none;    // what needed instructions change, by what may be in it
};

// `tells_global`: the addresses of accesses to global memory and the stacks are also kept.
slice slice_of(const code_flow& code, bool tells_global = false);
// What such an instruction reads: its guard and its address.
places told_reads(const code_flow& code, std::uint32_t n);

}  // namespace bankwise::sass
