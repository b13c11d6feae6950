// Loops that load the same word again until somebody else has changed it, with a plain load.
//
//     while (*flag == 0) __threadfence();
//
//     .L: MEMBAR.SC.GPU
//         LDG.E R0, [R2.64]            the same address in each round
//         ISETP.NE.AND P0, PT, R0, RZ  what decides is made of that word alone
//         @!P0 BRA .L
//
// A loop that stores to global memory, or whose condition also counts rounds, is not one: it ends by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"

namespace bankwise::sass {

// The loads of such loops, by index in the code of a section; and of the loop that these instructions are.
std::vector<std::uint32_t> spinning_loads(byte_span code, isa set);
std::vector<std::uint32_t> spinning_loads(byte_span code, isa set, std::size_t first, std::size_t last);

}  // namespace bankwise::sass
