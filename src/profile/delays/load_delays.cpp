// Delays from loads: loads that are requested too late, chains of loads, and narrow loads.
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "cubin/occupancy.hpp"
#include "profile/delays/load_groups.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_groups = 4;  // loops whose loads get a replay each

using range = code_range;

// How many blocks are resident if each thread needs more registers. 0 if it would need too many.
std::uint32_t blocks_with(const traced_launch& l, std::uint32_t more_registers) {
  constexpr std::uint32_t most_registers = 255;
  const cubin::multiprocessor* const on = cubin::find_multiprocessor(formatted("sm_{}", l.trace.sm));
  const std::uint32_t registers = l.trace.registers + more_registers;
  if (on == nullptr || registers > most_registers) return 0;
  return cubin::blocks_per_multiprocessor(*on, {l.trace.threads(), registers, l.trace.shared_bytes}).blocks;
}

// Rounds of a loop, and the cycles that an unrolled loop with so many saves.
struct unrolled_rounds {
  std::uint16_t together = 0;
  std::uint64_t saved = 0;
};

// Whether the code between the loads of a group has no jumps, over which a compiler does not move loads.
bool is_straight(const traced_launch& l, const load_group& g) {
  for (std::uint32_t i = g.loads.front(); i < g.loads.back(); ++i)
    if (l.is_executed(i) && l.traits_at(i).flow != sass::flow::next) return false;
  return true;
}

// Finds how far a loop should be unrolled. Each doubling must save a good part more, because it needs more registers.
// In straight code, the compiler requests all loads together that do not need each other, as far as there are registers.
unrolled_rounds best_rounds(traced_launch& l, const load_group& g) {
  constexpr std::uint16_t most_of_loop = 8, most_of_code = 64;
  const bool all = !g.is_in_loop && is_straight(l, g);
  unrolled_rounds best;
  const std::uint32_t now = blocks_with(l, 0);
  for (std::uint16_t together = 2; together <= (all ? most_of_code : most_of_loop); together *= 2) {
    if (together > g.rounds) break;
    const std::uint32_t blocks = blocks_with(l, (together - 1U) * g.registers);
    if (blocks == 0) break;
    const std::uint64_t saved = l.again.saved_with(g.unrolled(together), {.blocks = blocks < now ? blocks : 0});
    if (saved <= best.saved + (all ? 0 : best.saved / 4)) break;
    best = {together, saved};
  }
  return best;
}

// Outside of loops, the compiler already requests most loads together. A smaller saving is not worth a finding.
constexpr std::uint64_t least_outside = 7;  // one in 7 of the cycles

// Adds the delays of loads that could have been requested earlier: all together first, then loop by loop.
void try_early(traced_launch& l, delay_kind k, std::map<range, load_group>& groups) {
  constexpr std::uint16_t usual = 4;  // rounds together
  const auto may_unroll = [&](const load_group& g) { return g.rounds > 1 && !g.has_barrier; };
  change_list all;
  std::uint16_t number = 0;
  for (auto& [in, g] : groups) {
    g.number = number++;
    const change_list its =
        may_unroll(g) ? g.unrolled(static_cast<std::uint16_t>(std::min<std::uint64_t>(usual, g.rounds))) : g.early();
    all.insert(all.end(), its.begin(), its.end());
  }
  if (all.empty() || !l.is_enough(l.again.saved_with(all))) return;
  std::vector<load_group> list;
  for (auto& [in, g] : groups) list.push_back(std::move(g));
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.times > b.times; });
  if (list.size() > most_groups) list.resize(most_groups);
  for (const load_group& g : list) {
    delay d = l.delay_at(k, g.place);
    std::uint64_t saved = 0;
    if (may_unroll(g)) {
      const unrolled_rounds best = best_rounds(l, g);
      saved = best.saved;
      d.then = best.together;
    }
    // The next round may be requested while this one computes, which takes no more registers than two rounds together.
    if (const std::uint64_t early = d.then <= 2 ? l.again.saved_with(g.early()) : 0; early > saved) {
      saved = early;
      d.then = 0;
    }
    d.now = g.is_in_loop && g.is_ahead ? 1 : 0;
    // Loads of one line are an unrolled loop.
    if (!g.is_in_loop && l.place_of(g.loads.front()).line != l.place_of(g.loads.back()).line) d.about = "code";
    if (g.is_in_loop || saved * least_outside >= l.time.cycles) l.add(std::move(d), saved);
  }
}

}  // namespace

void find_load_delays(traced_launch& l) {
  if (l.may_save("latency")) {
    load_groups groups = load_groups_of(l);
    try_early(l, delay_kind::late_loads, groups.late);
    try_early(l, delay_kind::chained_loads, groups.chained);
  }
  const merged_loads merged = merged_loads_of(l, {.of_global = true, .is_straight = false});
  l.try_changes(delay_kind::narrow_loads, merged.first, merged.changes);
}

}  // namespace bankwise
