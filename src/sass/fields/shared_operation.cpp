// Determines operations from the fields of an instruction.
#include "sass/fields/shared_operation.hpp"

namespace bankwise::sass {

operation shared_operation_of(const instruction& i) {
  if (!may_access_by_lanes(i)) return {};
  const opcode op = i.info()->op;
  const fields f = fields_of(i);
  operation o{};
  if (const auto* a = std::get_if<memory_access>(&f)) {
    switch (traits_of(op).action) {
      case action::load: o = load_operation(*a); break;
      case action::store: o = st(a->bytes); break;
      default: o = op == opcode::ATOMS_POPC ? popc_inc() : atomic_operation(*a); break;
    }
  } else if (const auto* m = std::get_if<matrix_access>(&f)) {
    o = traits_of(op).action == action::load ? ldmatrix(m->matrices) : stmatrix(m->matrices);
  } else if (const auto* c = std::get_if<copy_access>(&f)) {
    o = copy_operation(*c);
  }
  return valid(o) ? o : operation{};
}

std::vector<operation> shared_operations(byte_span code, isa set) {
  std::vector<operation> list;
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes)
    list.push_back(shared_operation_of(load_instruction(code.data() + at, set)));
  return list;
}

}  // namespace bankwise::sass
