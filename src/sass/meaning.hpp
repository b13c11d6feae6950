// How well the meaning of an instruction is known: the evidence for its execution by the emulator.
//
//     measured     a GPU computed the same: the instruction is in the probes of data/sm_90, which an H100 or H200 executed
//     documented   NVIDIA documents the instruction of PTX that it is made from; it was not compared with a GPU
//     assumed      neither: its meaning is that of a similar instruction
//
// Rows are those of opcodes.def: another modifier may be known less well than its instruction.
#pragma once

#include <cstdint>

namespace bankwise::sass {

enum class opcode : std::uint16_t;
enum class meaning : std::uint8_t { assumed, documented, measured };
const char* name_of(meaning m);
meaning meaning_of(opcode op);

}  // namespace bankwise::sass
