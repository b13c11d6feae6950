// Which code lets blocks see each other.
#include "emulate/independence.hpp"

#include "emulate/externals.hpp"

namespace bankwise::emulate {

namespace {

// Blocks run side by side only if they cannot talk to each other: results would depend on who comes first.
bool is_independent(const decoded_section& code, bool calls_are, const std::vector<bool>* needed = nullptr) {
  for (const micro_op& u : code.ops) {
    if (needed != nullptr && !(*needed)[u.index]) continue;
    const sass::opcode_traits& t = sass::traits_of(u.op);
    if (sass::touches(t.space, sass::space::global)) {
      if (t.action == sass::action::update) return false;
      // .STRONG and .MMIO: made to be seen by others.
      const auto* access = std::get_if<sass::memory_access>(&u.fields);
      if (access != nullptr && access->strong) return false;
    }
    if (!t.calls_or_returns || calls_are || u.op == sass::opcode::RET) continue;
    // A call to a place in the same section stays in what is looked at.
    if (u.op != sass::opcode::CALL_REL || u.target < code.begin || u.target >= code.end) return false;
  }
  return true;
}

}  // namespace

bool blocks_are_independent(const decoded_section& kernel, const cubin::program& p, code_cache& code,
                            const std::vector<bool>* needed) {
  if (is_independent(kernel, false, needed)) return true;
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
