#include "profile/code/meanings.hpp"

#include <algorithm>
#include <map>

#include "sass/meaning.hpp"

namespace bankwise {

void add_meaning(launch_report& l, const cubin::program& p, const cubin::kernel& k, const sass::slice& counted) {
  const cubin::code_section& code = p.sections[k.section];
  const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{k.offset} + k.code_bytes, code.bytes.size());
  code_meaning all;
  std::map<std::string, unmeasured_instruction> by_name;
  for (std::uint64_t at = k.offset; at + cubin::instruction_bytes <= end; at += cubin::instruction_bytes) {
    const sass::instruction i = sass::load_instruction(code.bytes.data() + at, sass::isa_of(p.sm));
    if (i.info() == nullptr || sass::is_nop(i)) continue;
    ++all.instructions;
    const sass::meaning level = sass::meaning_of(i.info()->op);
    if (level == sass::meaning::measured) continue;
    const std::string name(sass::mnemonic(*i.info()));
    unmeasured_instruction& one = by_name[name];
    one.name = name;
    one.level = one.places == 0 ? level : std::min(one.level, level);
    ++one.places;
    const std::uint64_t n = at / cubin::instruction_bytes;
    one.counted_on |= n >= counted.needed.size() || counted.needed[n] || (n < counted.told.size() && counted.told[n]);
  }
  for (auto& [name, one] : by_name) all.unmeasured.push_back(std::move(one));
  l.meaning = std::move(all);
}

}  // namespace bankwise
