#include "profile/not_executed.hpp"

#include <set>

#include "sass/print.hpp"

namespace bankwise {

namespace {

// An instruction that touches shared memory whatever its operands are.
bool is_shared(const sass::instruction& i) {
  using op = sass::opcode;
  const sass::opcode_info* info = i.info();
  if (info == nullptr) return false;
  switch (info->op) {
    case op::LDS:
    case op::STS:
    case op::STS_U:
    case op::LDSM:
    case op::STSM:
    case op::ATOMS:
    case op::ATOMS_U:
    case op::ATOMS_CAS:
    case op::ATOMS_CAST:
    case op::ATOMS_POPC:
    case op::LDGSTS:
    case op::HGMMA:
    case op::QGMMA:
    case op::IGMMA:
    case op::BGMMA:
    case op::UBLKCP:
    case op::UBLKRED:
    case op::UTMALDG:
    case op::UTMALDG_U:
    case op::UTMASTG:
    case op::UTMAREDG:
    case op::STAS:
    case op::REDAS: return true;
    default: return false;
  }
}

}  // namespace

std::vector<code_place> not_executed(const cubin::program& p, const cubin::kernel& k, const std::vector<site>& sites) {
  std::set<std::uint64_t> executed;
  for (const site& s : sites)
    if (s.function.empty()) executed.insert(s.pc);
  const cubin::code_section& code = p.sections[k.section];
  std::vector<code_place> list;
  for (std::uint64_t pc = 0; pc + cubin::instruction_bytes <= k.code_bytes; pc += cubin::instruction_bytes) {
    const std::uint64_t at = k.offset + pc;
    if (executed.contains(pc) || at + cubin::instruction_bytes > code.bytes.size()) continue;
    const sass::instruction i = sass::load_instruction(code.bytes.data() + at, sass::isa_of(p.sm));
    if (!is_shared(i)) continue;
    code_place& idle = list.emplace_back();
    idle.pc = pc;
    idle.sass = sass::to_text(i, pc);
    if (const auto place = p.source_of(k.section, at)) {
      idle.file = place->file;
      idle.line = place->line;
    }
  }
  return list;
}

}  // namespace bankwise
