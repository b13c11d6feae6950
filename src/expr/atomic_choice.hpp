// Which instruction a compiler makes of an atomic function of shared memory, which its type and its operand decide.
//
//     atomicAdd(&s[i], 1)       int, nobody uses the result     ATOMS.POPC.INC from sm_80 on: lanes on one word share
//     atomicAdd(&s[i], v)       int                             ATOMS.ADD: lanes on one word take turns
//     atomicAdd(&s[i], v)       float, double, half2, 64 bits   a loop of LDS and ATOMS.CAST.SPIN: one lane a bank in each round
//     atomicOr(&s[i], -1)       from sm_100 on                  ATOMS.EXCH: the old value does not matter
//     atomicAdd(&s[i], v)       nv_bfloat162 before sm_90       a loop of ATOMS.CAS: one lane a word in each round
//
// As nvcc 13.0 compiles them for sm_75 to sm_121.
#pragma once

#include <string_view>

#include "expr/line.hpp"
#include "expr/named_access.hpp"

namespace bankwise {

// Gives the access the instruction that is made of it, and the alternatives where type or operand are not known. `type`
// is that of an element, empty if nobody said it. Other accesses stay as they are.
void choose_atomic(named_access& q, std::string_view type, const expr::atomic_use& use);

// The wavefronts of all rounds of the loop that a compiler writes.
u32 loop_wavefronts(const access& a, const bank_model& m);

}  // namespace bankwise
