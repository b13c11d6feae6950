// Delays from loads: loads that are requested too late, chains of loads, and narrow loads.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/format.hpp"
#include "cubin/occupancy.hpp"
#include "profile/delays/traced_launch.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_loads = 64;  // loads that are examined, those with the most executions first
constexpr std::size_t most_groups = 4;  // loops whose loads get a replay each

using range = std::pair<std::uint32_t, std::uint32_t>;

// Whether an instruction before a load writes its registers each time that the load is executed: it has no guard, or that
// of the load.
bool writes_for(const traced_launch& l, std::uint32_t i, std::uint32_t load) {
  const auto guard_of = [&](std::uint32_t of) { return l.code[of].bits(12, 4); };
  return guard_of(i) == sass::predicate_true || guard_of(i) == guard_of(load);
}

// Whether the address of a load in a loop needs the value that the same load read in a round before. Follows the
// registers of the address backwards, for several rounds. With `decisions`, also follows predicates, as in a binary
// search, where the value decides which address is next.
bool needs_itself(const traced_launch& l, const range& loop, std::uint32_t load, bool decisions) {
  constexpr unsigned rounds = 3;  // values pass through at most a few registers from round to round
  sass::register_set wanted = l.registers_of(load).reads;
  const auto follow = [&](std::uint32_t i) {
    const sass::reads_and_writes& io = l.registers_of(i);
    if (!l.is_executed(i) || !sass::overlap(io.writes, wanted)) return false;
    if (writes_for(l, i, load)) sass::remove(wanted, io.writes);
    sass::join(wanted, io.reads);
    if (!decisions) wanted.predicates = wanted.uniform_predicates = 0;
    return i == load;
  };
  for (std::uint32_t i = load; i-- > loop.first;) follow(i);
  for (unsigned n = 0; n < rounds; ++n)
    for (std::uint32_t i = loop.second + 1; i-- > loop.first;)
      if (follow(i)) return true;
  return false;
}

// Returns the number of loads that must end one after another before the address of a load is known. `depths` has the
// numbers of earlier loads.
unsigned depth_of(const traced_launch& l, std::uint32_t begin, std::uint32_t load,
                  const std::map<std::uint32_t, unsigned>& depths) {
  unsigned depth = 0;
  sass::register_set wanted = l.registers_of(load).reads;
  for (std::uint32_t i = load; i-- > begin;) {
    const sass::reads_and_writes& io = l.registers_of(i);
    if (!l.is_executed(i) || !sass::overlap(io.writes, wanted)) continue;
    if (writes_for(l, i, load)) sass::remove(wanted, io.writes);
    if (!l.reads_memory(i)) {
      sass::join(wanted, io.reads);
      continue;
    }
    const auto known = depths.find(i);
    depth = std::max(depth, known != depths.end() ? known->second + 1 : 1);
  }
  return depth;
}

// Loads of a loop, or of code outside of loops.
struct load_group {
  std::vector<std::uint32_t> loads;
  std::uint32_t place = 0;  // the load that is shown
  bool is_in_loop = false, has_barrier = false;
  bool is_ahead = true;      // whether each value is loaded one round before it is needed
  std::uint64_t times = 0;   // executions of all of them
  std::uint64_t rounds = 1;  // of the loop, each time that a warp comes to it. Outside of loops, the number of loads
  std::optional<std::uint32_t> entry;  // the instruction before the loop, if it is not one of the loads
  std::uint16_t number = 0;            // of the group
  std::uint32_t registers = 0;         // that a round writes

  // Each load is requested with the loads before the last wait.
  change_list early() const {
    change_list list;
    for (const std::uint32_t i : loads) list.push_back({i, {.is_early = true}});
    return list;
  }
  // The loads of several rounds are requested together.
  change_list unrolled(std::uint16_t together) const {
    if (is_in_loop) together = static_cast<std::uint16_t>(together * loads.size());
    change_list list;
    if (entry) list.push_back({*entry, {.loop = number, .enters_loop = true}});
    for (const std::uint32_t i : loads) list.push_back({i, {.together = together, .loop = number}});
    return list;
  }
};

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

// Finds how far a loop should be unrolled. Each doubling must save a good part more, because it needs more registers.
unrolled_rounds best_rounds(traced_launch& l, const load_group& g) {
  unrolled_rounds best;
  const std::uint32_t now = blocks_with(l, 0);
  for (std::uint16_t together = 2; together <= 8; together *= 2) {
    if (together > g.rounds) break;
    const std::uint32_t blocks = blocks_with(l, (together - 1U) * g.registers);
    if (blocks == 0) break;
    const std::uint64_t saved = l.again.saved_with(g.unrolled(together), {.blocks = blocks < now ? blocks : 0});
    if (saved <= best.saved + best.saved / 4) break;
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

// Returns the instruction before a loop, if warps come from it to the loop.
std::optional<std::uint32_t> entry_of(const traced_launch& l, const range& loop) {
  if (loop.first == l.section_begin(loop.first) || !l.is_executed(loop.first - 1)) return std::nullopt;
  return loop.first - 1;
}

// Returns how often a warp executes a load of a loop, each time that it comes to the loop.
std::uint64_t rounds_of(const traced_launch& l, const range& loop, std::uint32_t load) {
  const auto entry = entry_of(l, loop);
  return l.executed[load].times / std::max<std::uint64_t>(1, entry ? l.executed[*entry].times : l.warps);
}

// Whether the values of a load are first read in the next round of its loop.
bool is_for_next_round(const traced_launch& l, const range& loop, std::uint32_t load) {
  const sass::register_set& loaded = l.registers_of(load).writes;
  for (std::uint32_t i = load + 1; i <= loop.second; ++i)
    if (l.is_executed(i) && sass::overlap(l.registers_of(i).reads, loaded)) return false;
  return true;
}

// Whether a loop has a barrier of the block. Loads of several rounds cannot be requested before it.
bool has_barrier(const traced_launch& l, const range& loop) {
  for (std::uint32_t i = loop.first; i <= loop.second; ++i)
    if (l.is_executed(i) && l.is_barrier(i)) return true;
  return false;
}

void find_early_loads(traced_launch& l) {
  if (!l.may_save("latency")) return;
  std::vector<std::uint32_t> loads;
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && l.is_plain_load(i, sass::space::global)) loads.push_back(i);
  std::stable_sort(loads.begin(), loads.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return l.executed[a].times > l.executed[b].times; });
  if (loads.size() > most_loads) loads.resize(most_loads);
  std::sort(loads.begin(), loads.end());
  constexpr unsigned chain = 4;  // loads one after another, outside of loops
  std::map<range, load_group> late, chained;
  std::map<std::uint32_t, unsigned> depths;
  for (const std::uint32_t i : loads) {
    const range in = l.loop_around(i);
    const bool is_in_loop = in.first <= in.second && l.executed[i].times >= 2 * l.warps;
    const std::uint32_t begin = l.section_begin(i);
    bool is_chained = false;
    if (is_in_loop) {
      is_chained = needs_itself(l, in, i, false);
      // Nobody can store the addresses of a search in advance.
      if (!is_chained && needs_itself(l, in, i, true)) continue;
    } else {
      depths[i] = depth_of(l, begin, i, depths);
      is_chained = depths[i] >= chain;
      // A load whose address another load computes cannot be requested together with that load.
      if (!is_chained && depths[i] != 0) continue;
    }
    load_group& g = (is_chained ? chained : late)[is_in_loop ? in : range{begin, begin}];
    if (is_in_loop) {
      g.rounds = std::max(g.rounds, rounds_of(l, in, i));
      g.has_barrier = has_barrier(l, in);
      g.entry = entry_of(l, in);
      if (g.entry && l.is_plain_load(*g.entry, sass::space::global)) g.entry.reset();
      g.is_ahead &= is_for_next_round(l, in, i);
    } else {
      g.rounds = g.loads.size() + 1;
      g.has_barrier = has_barrier(l, {g.loads.empty() ? i : g.loads.front(), i});
    }
    g.registers += static_cast<std::uint32_t>(l.registers_of(i).writes.vector.count());
    // A chain is shown at its last load, other loads at the first.
    if (g.loads.empty() || is_chained) g.place = i;
    g.is_in_loop = is_in_loop;
    g.loads.push_back(i);
    g.times += l.executed[i].times;
  }
  for (auto& [in, g] : late)
    if (!g.is_in_loop) g.registers /= static_cast<std::uint32_t>(g.loads.size());
  // In a loop with a chain, loads of what the chain finds come as late as the chain.
  for (auto& [in, g] : chained)
    if (const auto others = late.find(in); others != late.end()) {
      g.loads.insert(g.loads.end(), others->second.loads.begin(), others->second.loads.end());
      g.times += others->second.times;
      late.erase(others);
    }
  try_early(l, delay_kind::late_loads, late);
  try_early(l, delay_kind::chained_loads, chained);
}

// Loads of neighbouring addresses by the same lane, which one wider load could replace: the same registers plus offsets
// that differ by the width.
void find_narrow_loads(traced_launch& l) {
  constexpr std::uint32_t widest = 16;   // bytes
  constexpr std::uint32_t nearest = 96;  // largest distance of such loads in the code, in instructions
  struct one_load {
    std::uint32_t at;
    std::int64_t offset;
    std::uint32_t bytes;
  };
  std::map<std::tuple<unsigned, unsigned, unsigned, bool, unsigned>, std::vector<one_load>> open;  // by registers
  change_list out;
  std::uint64_t most = 0;
  std::uint32_t first = 0;
  const auto close = [&](std::vector<one_load>& list) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    for (std::size_t n = 0; n < list.size();) {
      std::size_t end = n + 1;
      while (end < list.size() && list[end].offset == list[end - 1].offset + list[n].bytes &&
             (end - n + 1) * list[n].bytes <= widest)
        ++end;
      for (std::size_t i = n + 1; i < end; ++i) out.push_back(left_out(list[i].at));
      if (end > n + 1 && l.executed[list[n].at].times > most) {
        most = l.executed[list[n].at].times;
        first = list[n].at;
      }
      n = end;
    }
    list.clear();
  };
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    if (!l.is_executed(i)) continue;
    const sass::register_set& writes = l.registers_of(i).writes;
    for (auto& [registers, list] : open) {
      const auto [space, base, uniform, is_uniform, bytes] = registers;
      const bool is_written = is_uniform ? writes.uniform[base] : writes.vector[base];
      if (!list.empty() && (is_written || (uniform < 255 && writes.uniform[uniform]) || i - list.front().at > nearest ||
                            l.executed[i].times != l.executed[list.front().at].times))
        close(list);
    }
    for (const sass::space space : {sass::space::global, sass::space::shared}) {
      if (!l.is_plain_load(i, space)) continue;
      const sass::fields f = sass::fields_of(l.code[i]);
      const auto& m = std::get<sass::memory_access>(f);
      if (m.bytes >= widest) continue;
      const unsigned uniform = m.address.adds_uniform ? m.address.uniform : 255;
      open[{static_cast<unsigned>(space), m.address.base, uniform, m.address.uniform_base, m.bytes}].push_back(
          {i, m.address.offset, m.bytes});
    }
  }
  for (auto& [registers, list] : open) close(list);
  l.try_changes(delay_kind::narrow_loads, first, out);
}

}  // namespace

void find_load_delays(traced_launch& l) {
  find_early_loads(l);
  find_narrow_loads(l);
}

}  // namespace bankwise
