// Finds spin loops. A spin loop loads the same word again and again until another thread changes the word.
//
//     while (*flag == 0) __threadfence();
//
//     .L: MEMBAR.SC.GPU
//         LDG.E R0, [R2.64]            the address is the same in each round
//         ISETP.NE.AND P0, PT, R0, RZ  the condition depends only on this word
//         @!P0 BRA .L
//
// A loop that stores to global memory, or whose condition counts rounds, ends by itself. So it is not a spin loop.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"

namespace bankwise::sass {

// Returns the loads of spin loops, as indices of instructions. The first form searches a section. The second form
// examines the loop from instruction `first` to instruction `last`.
std::vector<std::uint32_t> spinning_loads(byte_span code, isa set);
std::vector<std::uint32_t> spinning_loads(byte_span code, isa set, std::size_t first, std::size_t last);

}  // namespace bankwise::sass
