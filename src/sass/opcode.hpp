// The rows of opcodes.def: which instruction a bit pattern is, and how it is spelled.
#pragma once

#include <cstdint>
#include <string_view>

#include "sass/isa.hpp"

namespace bankwise::sass {

enum class opcode : std::uint16_t {
#define ALU_IN(first, last, name, bits, format) name,
#define OP_IN(first, last, name, bits, format) name,
#define ALSO_ALU_IN(first, last, name, bits, format)
#define ALSO_OP_IN(first, last, name, bits, format)
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN
  count,
};

struct opcode_info {
  opcode op;
  bool alu;            // bits 9-11 choose the form of the operands
  std::uint16_t bits;  // 9 bits of an ALU row, else 12
  const char* format;  // opcodes.def
  isa first, last;     // instruction sets that have it
};

// The row for bits 0-11 of an instruction, or null.
const opcode_info* find_opcode(unsigned bits, isa set = isa::hopper);
const opcode_info& info_of(opcode op);
// Guarded by a uniform predicate: the instructions of the uniform datapath.
bool has_uniform_guard(const opcode_info& info);

// How the operands of an ALU row print, as letters of opcodes.def; 0 where there is none. `at_32` is the operand that
// stands at bits 32-63 in every form.
struct operand_letters {
  char a = 0, b = 0, c = 0, at_32 = 0;
};
operand_letters letters_of(const opcode_info& info);

// "LDS", "IMAD": the spelling up to the first modifier.
std::string_view mnemonic(const opcode_info& info);

}  // namespace bankwise::sass
