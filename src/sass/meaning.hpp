// How well the meaning of an instruction is known. The evidence shows that the emulator executes the instruction as a
// GPU does.
//
//     measured     a GPU computed the same results: the instruction is in the probes of data/sm_90 (H100 or H200)
//     documented   NVIDIA documents the PTX instruction that it implements; it was not compared with a GPU
//     assumed      there is no evidence: it is executed like a similar instruction
//
// The evidence is for a row of opcodes.def. Some modifiers of the row may have less evidence.
#pragma once

#include <cstdint>

namespace bankwise::sass {

enum class opcode : std::uint16_t;
enum class meaning : std::uint8_t { assumed, documented, measured };
const char* name_of(meaning m);
meaning meaning_of(opcode op);

}  // namespace bankwise::sass
