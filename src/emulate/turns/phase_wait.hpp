// Finds loops that a path leaves only after it has found a complete phase of an mbarrier.
//
//     .L: NANOSLEEP R3                            such a loop may sleep, read clocks and count
//         SYNCS.PHASECHK.TRANS64 P0, [R2], R9     the look
//         @!P0 BRA .L                             all ways out depend on it
//
// This file does not handle loops that a path also leaves after some time or after some looks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"

namespace bankwise::emulate {

// Returns the indices of the loop's instructions in the code of a section, in order. `look`: the instruction with which
// a path has just found an incomplete phase. Empty if the path can leave the loop without a second look, or if the code
// cannot be followed. Also empty if the loop changes memory that does not belong to the path.
std::vector<std::uint32_t> phase_wait_at(byte_span code, sass::isa set, std::uint32_t look);

}  // namespace bankwise::emulate
