#include "sass/fields/constant_operands.hpp"

#include "sass/fields/fields.hpp"
#include "sass/operand/address.hpp"
#include "sass/operand/alu_operand.hpp"
#include "sass/operand/operands.hpp"

namespace bankwise::sass {

std::vector<constant_operand> constant_operands_of(const instruction& i) {
  std::vector<constant_operand> all;
  for (const part& p : parts_of(*i.info())) {
    if (!holds(p, i)) continue;
    if (p.kind == part_kind::alu && alu_operand_of(i, p).kind == operand_kind::constant)
      all.push_back({constant_bank(i), constant_offset(i), 4 * words_of(p.width, i), false, has_bound_bank(i)});
    if (p.kind != part_kind::address || !find_form(p.text)->constant) continue;
    const address_form& form = *find_form(p.text);
    const address a = address_of(i, form);
    const fields f = fields_of(i);
    const auto* access = std::get_if<memory_access>(&f);
    const unsigned zero = a.uniform_base ? uniform_register_zero : register_zero;
    all.push_back({a.bank, static_cast<std::uint64_t>(a.offset), access == nullptr ? 0u : access->bytes,
                   access == nullptr || (form.has_base && a.base != zero), a.has_descriptor});
  }
  return all;
}

}  // namespace bankwise::sass
