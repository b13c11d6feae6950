// Finds the instructions that read a clock, and the loops that only wait for a time.
//
//     while (clock64() - begin < cycles) {}
//
//     .L: CS2R R4, SR_CLOCKLO
//         IADD3 R7, P0, -R2, R4, RZ    no register keeps a value from the round before
//         ISETP.GE.U32.AND P0, PT, R7, R8, PT
//         @!P0 BRA .L
//
// Such a loop does the same for any later time, so its clock may advance faster than its instructions take.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"

namespace bankwise::sass {

bool reads_clock(const instruction& i);
// Returns the reads of such loops, as indices of instructions in the code of a section.
std::vector<std::uint32_t> clock_waits(byte_span code, isa set);

}  // namespace bankwise::sass
