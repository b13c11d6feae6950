// The operands of FFMA2, FMUL2 and FADD2. An operand consists of the two floats in a pair of registers. The two floats
// may be exchanged, or one float may be used twice.
#pragma once

#include "sass/instruction.hpp"

namespace bankwise::sass {

// in the order of the encoding: .F32x2.HI_LO, .F32x2.LO_HI, .F32
enum class pair_order : std::uint8_t { high_low, low_high, one, unknown };

inline bool is_float_pair(opcode op) { return op == opcode::FFMA2 || op == opcode::FMUL2 || op == opcode::FADD2; }

// `slot` is a letter of opcodes.def. FADD2 stores the pair order of operand B where FFMA2 stores the pair order of
// addend C.
inline pair_order pair_order_of(const instruction& i, char slot) {
  const bool is_added = slot == 'c' || (slot == 'B' && i.info()->op == opcode::FADD2);
  return static_cast<pair_order>(i.bits(slot == 'a' ? 81 : is_added ? 84 : 87, 2));
}

}  // namespace bankwise::sass
