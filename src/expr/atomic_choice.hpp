// The instruction that a compiler uses for an atomic function on shared memory. The instruction depends on the type and
// the operand:
//
//     atomicAdd(&s[i], 1)   int, result not used           ATOMS.POPC.INC from sm_80 on: lanes on one word share it
//     atomicAdd(&s[i], v)   int                            ATOMS.ADD: lanes on one word take turns
//     atomicAdd(&s[i], v)   float, double, half2, 64 bits  a loop of LDS and ATOMS.CAST.SPIN, one lane per bank a round
//     atomicOr(&s[i], -1)   from sm_100 on                 ATOMS.EXCH: the old value does not matter
//     atomicAdd(&s[i], v)   nv_bfloat162 before sm_90      a loop of ATOMS.CAS, one lane per word a round
//
#pragma once

#include <string_view>

#include "expr/named_access.hpp"
#include "expr/parse/line.hpp"

namespace bankwise {

// Sets the instruction of an atomic access. If the type or the operand is unknown, also sets the alternative
// instructions. `type` is the type of an element, or empty if no type was given. Accesses that are not atomic stay the
// same.
void choose_atomic(named_access& q, std::string_view type, const expr::atomic_use& use);

// Returns the wavefronts of the compiler's loop, summed over all rounds.
u32 loop_wavefronts(const access& a, const bank_model& m);

}  // namespace bankwise
