#include "emulate/shared_operation.hpp"

#include "emulate/decode.hpp"

namespace bankwise::emulate {

namespace {

operation operation_of(const micro_op& u) {
  using op = sass::opcode;
  switch (u.op) {
    case op::LDS:
    case op::LD: return ld(u.bytes);
    case op::STS:
    case op::STS_U:
    case op::ST:
    case op::ST_R: return st(u.bytes);
    case op::LDSM: return ldmatrix(u.mode);
    case op::STSM: return stmatrix(u.mode);
    case op::ATOMS:
    case op::ATOMS_U:
    case op::ATOMS_CAS:
    case op::ATOMS_CAST:
    case op::ATOM:
    case op::ATOM_R:
    case op::ATOM_CAS:
    case op::ATOM_F: return atomic_operation(u);
    case op::ATOMS_POPC: return popc_inc();
    case op::LDGSTS: return copy_operation(u);
    default: return {};
  }
}

}  // namespace

std::vector<operation> shared_operations(const cubin::program& p, std::uint32_t section) {
  static const std::array<std::vector<std::byte>, constant_banks> no_constants;
  code_cache cache(p, no_constants);
  std::vector<operation> list;
  if (const decoded_section* s = cache.at(p.sections[section].address))
    for (const micro_op& u : s->ops) {
      const operation o = operation_of(u);
      list.push_back(valid(o) ? o : operation{});
    }
  return list;
}

bool may_touch_shared(const sass::instruction& i) {
  const sass::opcode_info* info = i.info();
  if (info == nullptr) return false;
  micro_op u;
  u.op = info->op;
  u.mode = 1;
  return valid(operation_of(u)) || u.op == sass::opcode::LDSM || u.op == sass::opcode::STSM;
}

}  // namespace bankwise::emulate
