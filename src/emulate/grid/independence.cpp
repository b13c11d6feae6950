// Finds out whether blocks can see each other's results.
#include "emulate/grid/independence.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "emulate/block/externals.hpp"
#include "emulate/memory/atomic_operation.hpp"
#include "sass/flow/spin_loops.hpp"
#include "sass/flow/work_queues.hpp"

namespace bankwise::emulate {

namespace {

using indices = std::vector<std::uint32_t>;

// An update of global memory whose old value is unused.
bool is_reduction(const micro_op& u) {
  const auto* f = std::get_if<sass::memory_access>(&u.fields);
  return f != nullptr && sass::traits_of(u.op).space == sass::space::global && !f->is_swap && u.p0 == 7 &&
         (f->reduces || f->result == sass::register_zero);
}

// Whether blocks that run this code cannot communicate. Only such blocks run in parallel, so that results do not depend
// on the order of the blocks. `reductions` receives the reductions that must be executed in order. If `reductions` is
// null, the code must not contain reductions.
bool is_independent(const decoded_section& code, bool calls_are, const std::vector<bool>* needed, indices* reductions) {
  bool copies = false;
  for (const micro_op& u : code.ops) {
    if (needed != nullptr && !(*needed)[u.index]) continue;
    const sass::opcode_traits& t = sass::traits_of(u.op);
    if (sass::touches(t.space, sass::space::global)) {
      copies |= t.unit != sass::unit::memory;
      if (t.action == sass::action::update) {
        if (reductions == nullptr || !is_reduction(u)) return false;
        reductions->push_back(u.index);
        continue;
      }
      // .STRONG and .MMIO mark accesses that other threads can see.
      const auto* access = std::get_if<sass::memory_access>(&u.fields);
      if (access != nullptr && access->strong) return false;
    }
    if (!t.calls_or_returns || calls_are || u.op == sass::opcode::RET) continue;
    // A call within the same section does not leave the analysed code.
    if (u.op != sass::opcode::CALL_REL || u.target < code.begin || u.target >= code.end) return false;
  }
  return reductions == nullptr || reductions->empty() || !copies;
}

bool others_are_independent(const decoded_section& kernel, const cubin::program& p, code_cache& code,
                            const std::vector<bool>* needed) {
  if (!is_independent(kernel, true, needed, nullptr)) return false;
  for (const std::string& name : p.externals)
    if (is_supplied(name) && !changes_nothing_shared(name)) return false;
  for (const std::uint32_t n : p.function_sections()) {
    const decoded_section* section = code.section_at(p.sections[n].address);
    if (section != nullptr && !is_independent(*section, true, nullptr, nullptr)) return false;
  }
  return true;
}

using regions = std::set<const region*>;

// The allocations that a kernel's accesses can reach.
class pointed_places {
 public:
  pointed_places(const decoded_section& kernel, std::uint64_t entry, const launch_state& s)
      : s_(s), flow_(sass::flow_of_code(kernel.code, kernel.set, entry - kernel.begin, kernel.begin)) {}

  bool complete() const { return flow_.complete; }
  bool is_reached(std::uint32_t n) const { return flow_.nodes[n].reached; }
  // The regions that instruction n accesses. Empty if the regions are unknown.
  regions of(std::uint32_t n) const {
    const sass::pointer_sources from = sass::pointer_sources_of(flow_, n);
    return from.unknown ? regions{} : regions_of(from.words, s_);
  }

 private:
  const launch_state& s_;
  const sass::code_flow flow_;
};

// Removes the allocations that accesses other than reductions can touch.
void leave_out_touched(const decoded_section& kernel, const pointed_places& places, regions& from) {
  for (const micro_op& u : kernel.ops) {
    const sass::opcode_traits& t = sass::traits_of(u.op);
    if (from.empty()) return;
    if (!sass::touches(t.space, sass::space::global) || t.action == sass::action::update || !places.is_reached(u.index))
      continue;
    const regions touched = places.of(u.index);
    if (touched.empty()) from.clear();
    for (const region* r : touched) from.erase(r);
  }
}

// The allocations that the reductions change. Empty if the pointer of a reduction is unknown.
std::vector<reduced_region> reduced_regions(const indices& reductions, const decoded_section& kernel,
                                            std::uint64_t entry, const launch_state& s, bool one_worker) {
  const pointed_places places(kernel, entry, s);
  if (!places.complete()) return {};
  // How updates change an allocation: operation, bytes, sign. Nothing if the updates do not commute.
  using way = std::optional<std::tuple<atomic_op, unsigned, bool>>;
  std::map<const region*, std::set<way>> ways;
  regions commuting;
  for (const std::uint32_t n : reductions) {
    if (!places.is_reached(n)) continue;
    const regions found = places.of(n);
    if (found.empty()) return {};
    const auto& f = kernel.ops[n].as<sass::memory_access>();
    const way how = is_commutative(f) ? way{{f.operation, f.bytes, f.is_signed}} : std::nullopt;
    for (const region* r : found) ways[r].insert(how);
  }
  for (const auto& [r, how] : ways)
    if (how.size() == 1 && how.begin()->has_value()) commuting.insert(r);
  if (!one_worker) leave_out_touched(kernel, places, commuting);
  std::vector<reduced_region> all;
  for (const auto& [r, how] : ways) all.push_back({r, !one_worker && commuting.contains(r)});
  return all;
}

}  // namespace

regions regions_of(const std::set<sass::constant_word>& made_of, const launch_state& s) {
  regions found;
  for (const sass::constant_word& w : made_of) {
    if (w.offset % 8 != 0 || !made_of.contains({w.bank, w.offset + 4}) || w.bank >= s.banks.size()) continue;
    const std::vector<std::byte>& bank = s.banks[w.bank];
    if (w.offset + 8 > bank.size()) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, bank.data() + w.offset, sizeof value);
    if (const region* r = s.memory->find(value)) found.insert(r);
  }
  return found;
}

bool may_wait_for_others(const cubin::program& p, const cubin::kernel& k) {
  std::vector<std::uint32_t> sections = p.function_sections();
  sections.push_back(k.section);
  for (const std::uint32_t n : sections) {
    const cubin::code_section& code = p.sections[n];
    if (!sass::spinning_loads(code.bytes, sass::isa_of(p.sm)).empty()) return true;
    for (std::size_t at = 0; at + sass::instruction_bytes <= code.bytes.size(); at += sass::instruction_bytes) {
      const sass::instruction i = sass::load_instruction(code.bytes.data() + at, sass::isa_of(p.sm));
      const sass::opcode_info* const info = i.info();
      if (info == nullptr) continue;
      const sass::opcode_traits& t = sass::traits_of(info->op);
      if (!sass::touches(t.space, sass::space::global)) continue;
      const sass::fields fields = sass::fields_of(i);
      const auto* f = std::get_if<sass::memory_access>(&fields);
      if (f == nullptr) continue;
      const bool gets_old_value = t.action == sass::action::update && !f->reduces && f->result != sass::register_zero;
      if ((f->strong && t.action == sass::action::load) || gets_old_value) return true;
    }
  }
  return false;
}

bool shares_work(const cubin::program& p, const cubin::kernel& k) {
  return sass::takes_work_in_loop(p.sections[k.section].bytes, sass::isa_of(p.sm));
}

independence independence_of(const decoded_section& kernel, std::uint64_t entry, const cubin::program& p,
                             const launch_state& s, bool one_worker, const std::vector<bool>* needed) {
  indices reductions;
  if (!is_independent(kernel, false, needed, &reductions))
    return {others_are_independent(kernel, p, *s.code, needed), {}};
  if (reductions.empty()) return {true, {}};
  std::vector<reduced_region> reduced = reduced_regions(reductions, kernel, entry, s, one_worker);
  const bool known = !reduced.empty();
  return {known, std::move(reduced)};
}

}  // namespace bankwise::emulate
