// Reading the parts of an address. The marks of global ones stand where the operation leaves room for them.
#include "sass/operand/address.hpp"

#include "sass/operand/alu_operand.hpp"

namespace bankwise::sass {

namespace {

// The register of a global address is a pair, [R2.64], and not [R2.U32].
bool is_wide(const instruction& i, opcode op) {
  const bool apart = traits_of(i.set).wide_mark_apart && i.bit(91);
  switch (op) {
    case opcode::LDGSTS: return i.bit(i.set >= isa::blackwell ? 83 : 70);
    case opcode::LD:
    case opcode::ST:
    case opcode::QSPC:
      return i.bit(i.bit(91) ? 90 : 72);  // generic
    // Where the operation of an atomic needs bit 90, the mark is lower.
    case opcode::ATOM:
    case opcode::ATOM_F:
    case opcode::ATOMG:
    case opcode::ATOMG_F: return i.bit(apart ? 70 : 72);
    default: return i.bit(apart ? 90 : 72);
  }
}

// The uniform register is a descriptor and no part of the address.
bool is_descriptor(const instruction& i, opcode op) {
  const bool newest = i.set >= isa::blackwell;  // bits 70 and 71 are of the uniform register's number
  switch (op) {
    case opcode::LDGSTS: return newest || i.bit(76);
    case opcode::ATOM:
    case opcode::ATOMG: return i.bit(newest ? 76 : 71);
    case opcode::ATOM_F:
    case opcode::ATOMG_F: return i.bit(newest ? 90 : 71);
    case opcode::REDG:
    case opcode::REDG_F: return i.bit(newest ? 81 : 71);
    default: return i.bit(76);
  }
}

bool is_atomic_with_uniform(opcode op) {
  return op == opcode::ATOM || op == opcode::ATOM_F || op == opcode::ATOMG || op == opcode::ATOMG_F;
}

}  // namespace

address address_of(const instruction& i, const address_form& form) {
  const opcode op = i.info()->op;
  address a;
  a.uniform_base = form.uniform_base;
  if (form.has_base)
    a.base = static_cast<std::uint8_t>(form.uniform_base ? i.uniform(form.base_at) : i.bits(form.base_at, 8));
  static constexpr std::uint8_t shifts[] = {0, 2, 3, 4};
  if (form.scaled) a.shift = shifts[i.bits(78, 2)];
  if (form.constant) {
    a.bank = static_cast<std::uint8_t>(i.bits(54, 5));
    if (!form.has_base) {
      a.has_descriptor = i.bit(91);  // in place of the bank
      if (a.has_descriptor) a.uniform = static_cast<std::uint8_t>(bound_bank(i));
      a.offset = static_cast<std::int64_t>(i.bits(38, 16));
      return a;
    }
  }
  if (form.global) a.wide = is_wide(i, op);
  const bool has_uniform = form.uses == uniform_use::always ||
                           (form.uses == uniform_use::marked && (i.bit(91) || (form.local && i.bit(76))));
  if (has_uniform) {
    a.uniform = static_cast<std::uint8_t>(i.uniform(form.uniform_at));
    a.has_descriptor = form.global ? is_descriptor(i, op) : form.local && i.bit(76);
    a.adds_uniform = !a.has_descriptor;
    const unsigned shorter = is_atomic_with_uniform(op) && i.set >= isa::blackwell ? 1 : 0;
    a.offset = i.signed_bits(form.offset_at, form.offset_bits - shorter);
  } else {
    a.offset = i.signed_bits(form.plain_offset_at, form.plain_offset_bits);
  }
  return a;
}

}  // namespace bankwise::sass
