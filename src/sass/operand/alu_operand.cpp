// The positions of the operands of ALU rows and of their modifiers. A modifier has a fixed distance from its operand.
#include "sass/operand/alu_operand.hpp"

namespace bankwise::sass {

namespace {

// The bits that contain the sign, absolute value and half of an operand.
struct operand_marks {
  unsigned negation, magnitude, half;
};
constexpr operand_marks marks_of_a{72, 73, 74}, marks_of_b{63, 62, 60}, marks_of_c{75, 74, 0},
    marks_of_half_c{84, 83, 81}, marks_of_c_of_vhmnmx{84, 83, 76};

}  // namespace

alu_operand alu_operand_of(const instruction& i, char where, char letter) {
  const alu_form form = form_of(i);
  const bool at_32 = where == 'B' || where == 'D' || (where != 'a' && (where == 'b') != c_is_at_32(form));
  alu_operand o;
  o.letter = letter;
  o.at = where == 'a' ? slot::a : at_32 ? slot::b : slot::c;
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
  const operand_marks& marks = o.at == slot::a   ? marks_of_a
                               : o.at == slot::b ? marks_of_b
                               : letter == 'k'   ? marks_of_c_of_vhmnmx
                               : o.is_half()     ? marks_of_half_c
                                                 : marks_of_c;
  const bool may_be_negative = o.is_float() || letter == 'i' || letter == 'n' || letter == 'v' || letter == 'l' ||
                               letter == 'w' || ((letter == 'q' || letter == 'r') && o.at == 32);
  o.negated = may_be_negative && i.bit(marks.negation);
  o.absolute = o.is_float() && i.bit(marks.magnitude);
  if (letter == 'h' || letter == 'k') o.half = static_cast<half_choice>(i.bits(marks.half, 2));
  const unsigned at_of_b = c_is_at_32(form_of(i)) ? slot::c : slot::b;
  if (i.set >= isa::hopper && o.half == half_choice::both && letter == 'h' && o.at == at_of_b &&
      row_fields(i).flag("exchanges_b"))
    o.half = half_choice::exchanged;
  return o;
}

alu_operand alu_operand_of(const instruction& i, const part& p) { return alu_operand_of(i, p.slot, p.letter); }

}  // namespace bankwise::sass
