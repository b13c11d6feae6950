// Finds the operands of an instruction that are in constant memory, including the addresses of loads from constant
// memory.
//
//     IMAD.WIDE R6, R0, 0x4, c[0x0][0x168]     bank 0, 8 bytes at 0x168
//     LDC R1, c[0x3][R2+0x10]                  bank 3, 4 bytes at an unknown offset
#pragma once

#include <cstdint>
#include <vector>

#include "sass/instruction.hpp"

namespace bankwise::sass {

struct constant_operand {
  unsigned bank = 0;
  std::uint64_t offset = 0;  // in bytes
  unsigned bytes = 0;
  bool is_indexed = false;
  bool is_described = false;  // whether a register contains a descriptor of the bank
};

std::vector<constant_operand> constant_operands_of(const instruction& i);

}  // namespace bankwise::sass
