// The operands of an instruction in constant memory, including loads.
//
//     IMAD.WIDE R6, R0, 0x4, c[0x0][0x168]     bank 0, 8 bytes at 0x168
//     LDC R1, c[0x3][R2+0x10]                  bank 3, 4 bytes somewhere
#pragma once

#include <cstdint>
#include <vector>

#include "sass/instruction.hpp"

namespace bankwise::sass {

struct constant_operand {
  unsigned bank = 0;
  std::uint64_t offset = 0;  // in bytes
  unsigned bytes = 0;
  bool is_indexed = false;    // the offset is a register's value plus a constant
  bool is_described = false;  // a register contains the bank's descriptor
};

std::vector<constant_operand> constant_operands_of(const instruction& i);

}  // namespace bankwise::sass
