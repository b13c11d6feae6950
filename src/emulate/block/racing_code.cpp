// Finds the loads and stores of global memory for which blocks may race.
#include "emulate/block/racing_code.hpp"

#include <algorithm>
#include <set>

#include "sass/fields/fields.hpp"
#include "sass/flow/spin_loops.hpp"

namespace bankwise::emulate {

namespace {

// If a kernel has more loads than this number, all loads are analysed together, because each analysis passes through
// all code.
constexpr std::size_t most_walks = 32;

void add(sass::pointer_sources& to, const sass::pointer_sources& more) {
  to.words.insert(more.words.begin(), more.words.end());
  to.may_be_loaded |= more.may_be_loaded;
  to.unknown |= more.unknown;
}

}  // namespace

std::shared_ptr<const racing_code> racing_code_of(const sass::code_flow& code, const sass::slice& needed) {
  if (!code.complete || code.has_calls_out) return nullptr;
  auto made = std::make_shared<racing_code>();
  made->watched.resize(code.nodes.size() - code.copy_of.size());
  std::set<std::uint32_t> loads;
  bool changes = false, fences = false, answers = false;
  for (const std::uint32_t n : code.order) {
    const std::size_t own = code.original(n);
    const sass::flow_node& at = code.nodes[n];
    fences |= at.op == sass::opcode::MEMBAR;
    if (!sass::touches(at.traits.space, sass::space::global) || at.traits.action == sass::action::none) continue;
    const sass::fields fields = sass::fields_of(code.instruction_at(static_cast<std::uint32_t>(own)));
    const auto* const access = std::get_if<sass::memory_access>(&fields);
    const auto* const copy = std::get_if<sass::copy_access>(&fields);
    if ((access == nullptr && copy == nullptr) || (access != nullptr && access->strong)) return nullptr;
    const bool loads_it = copy != nullptr || at.traits.action == sass::action::load;
    if (loads_it && copy == nullptr && !needed.needed[own]) continue;
    if (copy != nullptr && !sass::touches(needed.loaded, sass::space::shared)) continue;
    if (loads_it) loads.insert(n);
    changes |= !loads_it;
    answers |= at.traits.action == sass::action::update && !access->reduces && access->result != sass::register_zero;
    made->unit = std::min<std::uint32_t>(made->unit, copy != nullptr ? copy->bytes : access->bytes);
    made->watched[own] = true;
  }
  if (loads.empty() || !changes || (fences && answers)) return nullptr;
  if (!sass::spinning_loads(code.code, code.set).empty()) return nullptr;
  const sass::global_pointers all = sass::global_pointers_of(code);
  made->changes = all.writes;
  if (loads.size() > most_walks)
    made->loads = all.reads;
  else
    for (const std::uint32_t n : loads) add(made->loads, sass::pointer_sources_of(code, n));
  return made;
}

}  // namespace bankwise::emulate
