// Delays from local memory: registers that the compiler spilled, and arrays of a thread. BW503 and BW507 show the
// sectors of each line, and these delays show the time of all lines together.
#include <algorithm>
#include <set>
#include <variant>

#include "profile/delays/traced_launch.hpp"

namespace bankwise {

namespace {

struct local_accesses {
  std::vector<std::uint32_t> all;
  std::set<std::int64_t> slots;  // offsets of spilled words
  bool has_array = false;        // whether an address is computed, as for an array with a variable index
};

local_accesses local_accesses_of(const traced_launch& l) {
  constexpr unsigned stack_pointer = 1;
  local_accesses found;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    if (!l.is_executed(i) || l.traits_at(i).space != sass::space::local) continue;
    found.all.push_back(i);
    const sass::fields f = sass::fields_of(l.code[i]);
    const auto* const m = std::get_if<sass::memory_access>(&f);
    if (m == nullptr || m->address.base != stack_pointer || m->address.adds_uniform) {
      found.has_array = true;
      continue;
    }
    for (std::uint32_t byte = 0; byte < m->bytes; byte += 4) found.slots.insert(m->address.offset + byte);
  }
  return found;
}

}  // namespace

void find_local_delays(traced_launch& l) {
  const local_accesses local = local_accesses_of(l);
  if (local.all.empty()) return;
  const auto is_local = [&](std::uint32_t i) { return std::binary_search(local.all.begin(), local.all.end(), i); };
  const std::vector<std::vector<std::uint32_t>> lines = l.by_line(is_local);
  if (lines.size() < 2) return;  // the finding about the sectors of the line says the same
  change_list out;
  for (const std::uint32_t i : local.all) out.push_back(left_out(i));
  const std::uint64_t saved = l.again.saved_with(out);
  if (!l.is_enough(saved)) return;
  const auto times_of = [&](const std::vector<std::uint32_t>& line) {
    std::uint64_t times = 0;
    for (const std::uint32_t i : line) times += l.executed[i].times;
    return times;
  };
  const auto most = std::max_element(lines.begin(), lines.end(),
                                     [&](const auto& a, const auto& b) { return times_of(a) < times_of(b); });
  delay d = l.delay_at(local.has_array ? delay_kind::stack_arrays : delay_kind::spilled_registers, most->front());
  if (!local.has_array) d.now = local.slots.size();
  d.then = lines.size();
  l.add(std::move(d), saved);
}

}  // namespace bankwise
