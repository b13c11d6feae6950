// Where the operands of ALU rows stand, and their modifiers at fixed distances from the slot.
#include "sass/operand/alu_operand.hpp"

namespace bankwise::sass {

alu_operand alu_operand_of(const instruction& i, char slot, char letter) {
  const alu_form form = form_of(i);
  const bool at_32 = slot == 'B' || slot == 'D' || (slot != 'a' && (slot == 'b') != c_is_at_32(form));
  alu_operand o;
  o.letter = letter;
  o.at = slot == 'a' ? 24 : at_32 ? 32 : 64;
  const bool is_uniform =
      letter == 'u' || letter == 'v' || letter == 'w' || letter == 'y' || letter == 'r' || letter == 'g';
  o.kind = is_uniform ? operand_kind::uniform : operand_kind::vector;
  if (at_32) switch (form) {
      case alu_form::b_imm:
      case alu_form::c_imm: o.kind = operand_kind::immediate; return o;
      case alu_form::b_const:
      case alu_form::c_const: o.kind = operand_kind::constant; break;
      case alu_form::b_uniform:
      case alu_form::c_uniform: o.kind = operand_kind::uniform; break;
      default: break;
    }
  if (o.kind == operand_kind::vector) o.number = static_cast<std::uint8_t>(i.bits(o.at, 8));
  if (o.kind == operand_kind::uniform) o.number = static_cast<std::uint8_t>(i.uniform(o.at));
  const unsigned negation = o.at == 24 ? 72 : o.at == 32 ? 63 : o.is_half() ? 84 : 75;
  const unsigned magnitude = o.at == 24 ? 73 : o.at == 32 ? 62 : o.is_half() ? 83 : 74;
  const bool may_be_negative = o.is_float() || letter == 'i' || letter == 't' || letter == 'n' || letter == 'v' ||
                               letter == 'l' || letter == 'w' || ((letter == 'q' || letter == 'r') && o.at == 32);
  o.negated = may_be_negative && i.bit(negation);
  o.absolute = o.is_float() && i.bit(magnitude);
  const unsigned third = letter == 'k' ? 76 : 81;
  if (letter == 'h' || letter == 'k')
    o.half = static_cast<std::uint8_t>(i.bits(o.at == 24 ? 74 : o.at == 32 ? 60 : third, 2));
  if (o.half == 0 && letter == 'h' && o.at == 32 && i.info()->op == opcode::HFMA2 && i.bit(86)) o.half = 4;
  return o;
}

alu_operand alu_operand_of(const instruction& i, const part& p) { return alu_operand_of(i, p.slot, p.letter); }

}  // namespace bankwise::sass
