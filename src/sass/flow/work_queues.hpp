// Finds loops that take work from a queue: an atomic hands out a number, and the number decides whether the loop continues.
//
//     while ((row = atomicAdd(next, 1)) < rows) process(row);
//
//     .L: ATOMG.ADD R0, [R2.64], R4    the old value is used, unlike in a reduction
//         ISETP.GE P0, R0, UR4
//         @P0 EXIT                     depends on the old value
//         ...
//         BRA .L
//
// The number may also pass through shared memory, because often one thread takes work for its whole block. A loop
// around a compare-and-swap or an exchange is not a queue. It repeats an update until the update succeeds.
#pragma once

#include "base/bytes.hpp"
#include "sass/instruction.hpp"

namespace bankwise::sass {

// Whether the section contains such a loop.
bool takes_work_in_loop(byte_span code, isa set);

}  // namespace bankwise::sass
