// Loops that a path leaves only after a look at an mbarrier has found a complete phase.
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

// The instructions of the loop, in order, by index in the code of a section. `look`: the instruction with which a path
// has just found an incomplete phase. Empty if the path can leave without another look, if the loop changes memory
// other than the path's own, or if the code cannot be followed.
std::vector<std::uint32_t> phase_wait_at(byte_span code, sass::isa set, std::uint32_t look);

}  // namespace bankwise::emulate
