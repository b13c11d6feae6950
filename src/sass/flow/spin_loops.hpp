// Finds loops that load the same word again and again, with a plain load, until another thread has changed it.
//
//     while (*flag == 0) __threadfence();
//
//     .L: MEMBAR.SC.GPU
//         LDG.E R0, [R2.64]            the same address in each round
//         ISETP.NE.AND P0, PT, R0, RZ  the condition depends only on that word
//         @!P0 BRA .L
//
// A loop that stores to global memory, or whose condition also counts rounds, is not such a loop: it ends by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"

namespace bankwise::sass {

// The first function returns the loads of such loops as indices in the code of a section; the second returns the loads
// of one loop.
std::vector<std::uint32_t> spinning_loads(byte_span code, isa set);
std::vector<std::uint32_t> spinning_loads(byte_span code, isa set, std::size_t first, std::size_t last);

}  // namespace bankwise::sass
