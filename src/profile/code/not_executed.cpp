#include "profile/code/not_executed.hpp"

#include <set>

#include "sass/print/print.hpp"

namespace bankwise {

namespace {

// Whether an instruction always accesses shared memory.
bool is_shared(const sass::instruction& i) {
  if (i.info() == nullptr) return false;
  const sass::opcode op = i.info()->op;
  return sass::may_touch_shared(op) && !sass::is_generic(op) && sass::traits_of(op).action != sass::action::other;
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
    idle.sass = sass::to_text(i, pc, p.sm);
    if (const auto place = p.source_of(k.section, at)) {
      idle.file = place->file;
      idle.line = place->line;
    }
  }
  return list;
}

}  // namespace bankwise
