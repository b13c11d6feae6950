// Loops that a path leaves only after a look at an mbarrier has found a complete phase.
//
//     .L: NANOSLEEP R3                            such a loop may sleep, read clocks and count
//         SYNCS.PHASECHK.TRANS64 P0, [R2], R9     the look
//         @!P0 BRA .L                             all ways out depend on it
//
// A loop that gives up after some time or some looks is not one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"

namespace bankwise::emulate {

// The instructions of the loop, by index in the code of a section and in order. `look`: where a path has just found an
// incomplete phase. Nothing if the path can leave without another look, changes memory other than its own, or if the
// code cannot be followed.
std::vector<std::uint32_t> phase_wait_at(byte_span code, sass::isa set, std::uint32_t look);

}  // namespace bankwise::emulate
