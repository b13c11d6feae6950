// An operand of an ALU row: its source, its sign, and the used part of the source.
//
//     FFMA R0, -R1, |R2|, c[0x0][0x160]        a: -R1     b: |R2|     c: constant bank 0 at 0x160
//
// Bits 9-11 (alu_form) choose whether b or c is at bits 32-63, and the kind of this operand. The other operand is a
// register at bit 64.
#pragma once

#include <cstdint>

#include "sass/modifiers.hpp"
#include "sass/row.hpp"

namespace bankwise::sass {

enum class operand_kind : std::uint8_t { vector, uniform, immediate, constant };

struct alu_operand {
  operand_kind kind = operand_kind::vector;
  char letter = 0;       // letter in opcodes.def; determines how the operand is read and printed
  std::uint8_t at = 24;  // position of the operand: bit 24, 32 or 64
  std::uint8_t number = 255;
  half_choice half = half_choice::both;
  bool negated = false;  // whether the sign bit is set; its meaning depends on the type
  bool absolute = false;

  bool is_float() const { return letter == 'f' || letter == 'g' || is_half() || is_double(); }
  bool is_half() const { return letter == 'h' || letter == 'm' || letter == 'k'; }
  bool is_double() const { return letter == 'd' || letter == 'e'; }
};

inline bool c_is_at_32(alu_form form) {
  return form == alu_form::c_imm || form == alu_form::c_const || form == alu_form::c_uniform;
}

alu_operand alu_operand_of(const instruction& i, const part& p);
// Returns the operand in the slot 'a', 'b', 'c', 'B' or 'D'. The letter in opcodes.def determines its type.
alu_operand alu_operand_of(const instruction& i, char slot, char letter);

// A constant at bits 32-63: its bank and its offset. If `is_described` is true, a uniform register contains a
// descriptor of the bank.
inline unsigned constant_bank(const instruction& i) { return static_cast<unsigned>(i.bits(54, 5)); }
inline std::uint64_t constant_offset(const instruction& i) { return i.bits(38, 16); }
inline bool has_bound_bank(const instruction& i) { return i.bit(91); }
// Returns the number of the uniform register that contains the bank's descriptor. The field has six bits in every
// instruction set, and 63 means URZ.
inline unsigned bound_bank(const instruction& i) {
  const auto n = static_cast<unsigned>(i.bits(32, 6));
  return n == 63 ? uniform_register_zero : n;
}
inline std::uint32_t immediate_of(const instruction& i) { return static_cast<std::uint32_t>(i.bits(32, 32)); }
// The immediate of MOV.64.
inline std::uint64_t wide_immediate_of(const instruction& i) { return i.bits(24, 40) | i.bits(64, 24) << 40; }

}  // namespace bankwise::sass
