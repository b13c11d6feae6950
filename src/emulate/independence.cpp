#include "emulate/independence.hpp"

namespace bankwise::emulate {

namespace {

// Blocks run side by side only if they cannot talk to each other: results would depend on who comes first.
bool is_independent(const decoded_section& code, bool calls_are) {
  using op = sass::opcode;
  for (const micro_op& u : code.ops) {
    switch (u.op) {
      case op::ATOM:
      case op::ATOM_R:
      case op::ATOM_CAS:
      case op::ATOM_F:
      case op::ATOMG:
      case op::ATOMG_R:
      case op::ATOMG_CAS:
      case op::ATOMG_F:
      case op::REDG:
      case op::REDG_F:
      case op::UBLKRED:
      case op::UTMAREDG: return false;
      case op::CALL_ABS:
      case op::CALL_ABS_R:
      case op::CALL_REL_R:
        if (!calls_are) return false;
        break;
      case op::CALL_REL:
        if (!calls_are && (u.target < code.begin || u.target >= code.end)) return false;
        break;
      // .STRONG and .MMIO: made to be seen by others.
      case op::LDG:
      case op::LDG_R:
      case op::LD:
      case op::STG:
      case op::STG_R:
      case op::ST:
      case op::ST_R:
        if (u.ins.is_strong()) return false;
        break;
      default: break;
    }
  }
  return true;
}

}  // namespace

bool blocks_are_independent(const decoded_section& kernel, const cubin::program& p, code_cache& code) {
  if (is_independent(kernel, false)) return true;
  if (!is_independent(kernel, true)) return false;
  for (const std::string& name : p.externals)
    if (is_supplied(name) && !changes_nothing_shared(name)) return false;
  std::vector<bool> holds_kernel(p.sections.size());
  for (const cubin::kernel& k : p.kernels) holds_kernel[k.section] = true;
  for (std::size_t n = 0; n < p.sections.size(); ++n) {
    if (holds_kernel[n]) continue;
    const decoded_section* section = code.at(p.sections[n].address);
    if (section != nullptr && !is_independent(*section, true)) return false;
  }
  return true;
}

}  // namespace bankwise::emulate
