#include "profile/code/atomic_parts.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/code/kept_facts.hpp"
#include "sass/fields/fields.hpp"
#include "sass/flow/code_flow.hpp"
#include "sass/print/print.hpp"

namespace bankwise {

namespace {

constexpr std::string_view exchange = "EXCH";

const sass::memory_access* access_in(const sass::fields& f) { return std::get_if<sass::memory_access>(&f); }

// Whether two addresses may be equal. They certainly differ only if they have the same registers and different offsets.
bool may_be_same(const sass::address& a, const sass::address& b) {
  const bool same_base = a.base == b.base && a.uniform_base == b.uniform_base && a.uniform == b.uniform &&
                         a.adds_uniform == b.adds_uniform && a.shift == b.shift;
  return !same_base || a.offset == b.offset;
}

// Finds loads whose value reaches an operand of the instruction `swap`. The value must be unchanged, but may be copied.
void add_loads(const sass::code_flow& flow, std::uint32_t swap, const sass::memory_access& what, std::size_t place,
               std::uint64_t begin, std::set<std::uint64_t>& to) {
  std::set<std::pair<std::uint32_t, std::size_t>> seen;
  std::vector<std::pair<std::uint32_t, std::size_t>> open;
  const auto go = [&](std::uint32_t before, std::size_t reg) {
    if (seen.insert({before, reg}).second) open.emplace_back(before, reg);
  };
  for (const std::uint32_t before : flow.nodes[swap].from) go(before, place);
  while (!open.empty()) {
    const auto [n, reg] = open.back();
    open.pop_back();
    const sass::flow_node& at = flow.nodes[n];
    if (at.writes[reg]) {
      if (at.traits.action == sass::action::load && sass::touches(at.traits.space, sass::space::shared)) {
        const sass::fields f = sass::fields_of(flow.instruction_at(n));
        const sass::memory_access* load = access_in(f);
        if (load != nullptr && may_be_same(load->address, what.address))
          to.insert(begin + flow.original(n) * sass::instruction_bytes);
      } else if (at.reads.count() == 1 && sass::to_text(flow.instruction_at(n), 0).find("MOV") != std::string::npos) {
        for (const std::uint32_t before : at.from) go(before, at.reads._Find_first());
      }
      if (at.kills) continue;
    }
    for (const std::uint32_t before : at.from) go(before, reg);
  }
}

void add_parts(const cubin::code_section& section, sass::isa set, std::uint64_t entry, atomic_parts& to) {
  const sass::code_flow flow = sass::flow_of_code(section.bytes, set, entry, section.address);
  for (const std::uint32_t n : flow.order) {
    const sass::flow_node& at = flow.nodes[n];
    if (at.traits.action != sass::action::update || !sass::touches(at.traits.space, sass::space::shared)) continue;
    const sass::instruction i = flow.instruction_at(n);
    const sass::fields f = sass::fields_of(i);
    const sass::memory_access* what = access_in(f);
    if (what == nullptr) continue;
    to.order_threads |= what->result != sass::register_zero;
    if (what->is_swap) {
      add_loads(flow, n, *what, sass::first_place(sass::file::vector) + what->data, section.address, to.loads);
    } else if (what->result == sass::register_zero && sass::to_text(i, 0).find(exchange) != std::string::npos) {
      to.writes.insert(section.address + flow.original(n) * sass::instruction_bytes);
    }
  }
}

atomic_parts parts_of_code(const cubin::program& p, const cubin::kernel& k) {
  atomic_parts parts;
  const sass::isa set = sass::isa_of(p.sm);
  for (std::size_t n = 0; n < p.sections.size(); ++n) {
    const cubin::code_section& s = p.sections[n];
    // Skips the code of other kernels, because no instruction calls a kernel.
    const bool is_kernel =
        std::any_of(p.kernels.begin(), p.kernels.end(), [&](const cubin::kernel& other) { return other.section == n; });
    if (n == k.section)
      add_parts(s, set, k.offset, parts);
    else if (!is_kernel && s.functions.empty())
      add_parts(s, set, 0, parts);
    else if (!is_kernel)
      for (const cubin::code_function& f : s.functions) add_parts(s, set, f.offset, parts);
  }
  return parts;
}

}  // namespace

std::shared_ptr<const atomic_parts> find_atomic_parts(const cubin::program& p, const cubin::kernel& k) {
  static kept_facts<atomic_parts>& all =
      *new kept_facts<atomic_parts>;  // a report may be written after the end of main
  return all.of(p, k, parts_of_code);
}

}  // namespace bankwise
