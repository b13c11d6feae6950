// Reads the parts of an address.
#include "sass/operand/address.hpp"

#include <algorithm>
#include <iterator>

#include "sass/operand/alu_operand.hpp"

namespace bankwise::sass {

namespace {

// The positions of the flags of a global address. An atomic has other positions, because its upper bits contain the
// operation.
struct address_marks {
  opcode op;
  isa first, last;
  std::uint8_t pair;             // flag: the base is a pair of registers, [R2.64] instead of [R2.U32]
  std::uint8_t pair_by_uniform;  // position of the flag `pair` if the address has a uniform register
  std::uint8_t descriptor;       // flag: the uniform register is a descriptor, so it is not added to the address
};
constexpr std::uint8_t always = 255;
// The first row that matches applies. The last rows match all opcodes.
constexpr address_marks marks[] = {
    {opcode::LDGSTS, isa::turing, isa::hopper, 70, 70, 76},  {opcode::LDGSTS, isa::blackwell, isa::rtx, 83, 83, always},
    {opcode::LD, isa::turing, isa::rtx, 72, 90, 76},         {opcode::ST, isa::turing, isa::rtx, 72, 90, 76},
    {opcode::QSPC, isa::turing, isa::rtx, 72, 90, 76},       {opcode::ATOM, isa::turing, isa::ada, 72, 70, 71},
    {opcode::ATOM, isa::hopper, isa::hopper, 72, 72, 71},    {opcode::ATOM, isa::blackwell, isa::rtx, 72, 72, 76},
    {opcode::ATOMG, isa::turing, isa::ada, 72, 70, 71},      {opcode::ATOMG, isa::hopper, isa::hopper, 72, 72, 71},
    {opcode::ATOMG, isa::blackwell, isa::rtx, 72, 72, 76},   {opcode::ATOM_F, isa::turing, isa::ada, 72, 70, 71},
    {opcode::ATOM_F, isa::hopper, isa::hopper, 72, 72, 71},  {opcode::ATOM_F, isa::blackwell, isa::rtx, 72, 72, 90},
    {opcode::ATOMG_F, isa::turing, isa::ada, 72, 70, 71},    {opcode::ATOMG_F, isa::hopper, isa::hopper, 72, 72, 71},
    {opcode::ATOMG_F, isa::blackwell, isa::rtx, 72, 72, 90}, {opcode::REDG, isa::turing, isa::ada, 72, 90, 71},
    {opcode::REDG, isa::hopper, isa::hopper, 72, 72, 71},    {opcode::REDG, isa::blackwell, isa::rtx, 72, 72, 81},
    {opcode::REDG_F, isa::turing, isa::ada, 72, 90, 71},     {opcode::REDG_F, isa::hopper, isa::hopper, 72, 72, 71},
    {opcode::REDG_F, isa::blackwell, isa::rtx, 72, 72, 81},  {opcode::LDG_256, isa::blackwell, isa::rtx, 75, 75, 76},
    {opcode::STG_256, isa::blackwell, isa::rtx, 75, 75, 76}, {opcode::count, isa::turing, isa::ada, 72, 90, 76},
    {opcode::count, isa::hopper, isa::rtx, 72, 72, 76},
};
const address_marks& marks_of(const instruction& i, opcode op) {
  const auto fits = [&](const address_marks& m) {
    return (m.op == op || m.op == opcode::count) && m.first <= i.set && i.set <= m.last;
  };
  return *std::find_if(std::begin(marks), std::end(marks), fits);
}

bool is_atomic_with_uniform(opcode op) {
  return op == opcode::ATOM || op == opcode::ATOM_F || op == opcode::ATOMG || op == opcode::ATOMG_F;
}

}  // namespace

address address_of(const instruction& i, const address_form& form) {
  constexpr unsigned scale_at = 78, uniform_mark = 91, local_descriptor = 76;
  const opcode op = i.info()->op;
  const bool marked = i.bit(uniform_mark);
  address a;
  a.uniform_base = form.uniform_base;
  if (form.has_base)
    a.base = static_cast<std::uint8_t>(form.uniform_base ? i.uniform(form.base_at) : i.bits(form.base_at, 8));
  static constexpr std::uint8_t shifts[] = {0, 2, 3, 4};
  if (form.scaled) a.shift = shifts[i.bits(scale_at, 2)];
  if (form.constant) {
    a.bank = static_cast<std::uint8_t>(constant_bank(i));
    if (!form.has_base) {
      a.has_descriptor = has_bound_bank(i);  // if there is a descriptor, there is no bank number
      if (a.has_descriptor) a.uniform = static_cast<std::uint8_t>(bound_bank(i));
      a.offset = static_cast<std::int64_t>(constant_offset(i));
      return a;
    }
  }
  if (form.global) a.wide = i.bit(marked ? marks_of(i, op).pair_by_uniform : marks_of(i, op).pair);
  const bool has_uniform = form.uses == uniform_use::always ||
                           (form.uses == uniform_use::marked && (marked || (form.local && i.bit(local_descriptor))));
  if (has_uniform) {
    a.uniform = static_cast<std::uint8_t>(i.uniform(form.uniform_at));
    if (form.global) {
      const std::uint8_t at = marks_of(i, op).descriptor;
      a.has_descriptor = at == always || i.bit(at);
    } else {
      a.has_descriptor = form.local && i.bit(local_descriptor);
    }
    a.adds_uniform = !a.has_descriptor;
    const unsigned shorter = is_atomic_with_uniform(op) && i.set >= isa::blackwell ? 1 : 0;
    a.offset = i.signed_bits(form.offset_at, form.offset_bits - shorter);
  } else {
    a.offset = i.signed_bits(form.plain_offset_at, form.plain_offset_bits);
  }
  a.offset *= form.offset_unit;
  return a;
}

}  // namespace bankwise::sass
