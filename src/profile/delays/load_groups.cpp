#include "profile/delays/load_groups.hpp"

#include <algorithm>
#include <tuple>
#include <variant>

namespace bankwise {

namespace {

using range = code_range;

constexpr std::size_t most_loads = 64;  // loads that are examined, those with the most executions first

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

}  // namespace

bool is_search(const traced_launch& l, std::uint32_t load) {
  const range in = l.loop_around(load);
  return in.first <= in.second && needs_itself(l, in, load, true);
}

load_groups load_groups_of(const traced_launch& l) {
  load_groups found;
  auto& [late, chained] = found;
  std::vector<std::uint32_t> loads;
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && l.is_plain_load(i, sass::space::global)) loads.push_back(i);
  std::stable_sort(loads.begin(), loads.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return l.executed[a].times > l.executed[b].times; });
  if (loads.size() > most_loads) loads.resize(most_loads);
  std::sort(loads.begin(), loads.end());
  constexpr unsigned chain = 4;  // loads one after another, outside of loops
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
  for (auto* const groups : {&late, &chained})
    for (auto& [in, g] : *groups)
      if (!g.is_in_loop) g.registers /= static_cast<std::uint32_t>(g.loads.size());
  // In a loop with a chain, loads of what the chain finds come as late as the chain.
  for (auto& [in, g] : chained)
    if (const auto others = late.find(in); others != late.end()) {
      g.loads.insert(g.loads.end(), others->second.loads.begin(), others->second.loads.end());
      g.times += others->second.times;
      late.erase(others);
    }
  return found;
}

merged_loads merged_loads_of(const traced_launch& l, const merged_loads::among& which) {
  constexpr std::uint32_t widest = wide_load::widest;
  constexpr std::uint32_t nearest = 96;  // largest distance of such loads in the code, in instructions
  struct one_load {
    std::uint32_t at;
    std::int64_t offset;
    std::uint32_t bytes;
  };
  std::map<std::tuple<unsigned, unsigned, unsigned, bool, unsigned>, std::vector<one_load>> open;  // by registers
  merged_loads found;
  std::uint64_t most = 0;
  const auto close = [&](std::vector<one_load>& list, sass::space of) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    for (std::size_t n = 0; n < list.size();) {
      const wide_load wide = l.wide_loads.empty() ? wide_load() : l.wide_loads[list[n].at];
      std::size_t end = n + 1;
      while (end < list.size() && list[end].offset == list[end - 1].offset + list[n].bytes &&
             (end - n + 1) * list[n].bytes <= wide.most_bytes)
        ++end;
      for (std::size_t i = n + 1; i < end; ++i) found.changes.push_back(left_out(list[i].at));
      if (const auto bytes = static_cast<std::uint32_t>((end - n) * list[n].bytes);
          end > n + 1 && of == sass::space::shared && bytes > sizeof(std::uint32_t))
        found.changes.push_back({list[n].at, {.wavefronts = wide.wavefronts_with(bytes)}});
      if (end > n + 1 && l.executed[list[n].at].times > most) {
        most = l.executed[list[n].at].times;
        found.first = list[n].at;
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
                            (!which.is_straight && l.executed[i].times != l.executed[list.front().at].times)))
        close(list, static_cast<sass::space>(space));
    }
    for (const sass::space space : {sass::space::global, sass::space::shared}) {
      if (!l.is_plain_load(i, space) || (space == sass::space::global && !which.of_global)) continue;
      const sass::fields f = sass::fields_of(l.code[i]);
      const auto& m = std::get<sass::memory_access>(f);
      if (m.bytes >= widest) continue;
      const unsigned uniform = m.address.adds_uniform ? m.address.uniform : 255;
      open[{static_cast<unsigned>(space), m.address.base, uniform, m.address.uniform_base, m.bytes}].push_back(
          {i, m.address.offset, m.bytes});
    }
  }
  for (auto& [registers, list] : open) close(list, static_cast<sass::space>(std::get<0>(registers)));
  return found;
}

namespace {

// The loads from shared memory in a range without barriers and stores to shared memory.
change_list shared_loads_together(const traced_launch& l, const range& in) {
  constexpr std::uint16_t most = 8, number = 1;  // number 0 is that of loads from global memory
  change_list list;
  for (std::uint32_t i = in.first; i <= in.second; ++i) {
    if (!l.is_executed(i)) continue;
    if (l.is_plain_load(i, sass::space::shared))
      list.push_back({i, {.together = most, .loop = number}});
    else if (l.is_barrier(i) || (l.traits_at(i).unit == sass::unit::memory && sass::may_touch_shared(l.opcode_at(i))))
      return {};
  }
  // The compiler knows the alignment of shared memory, and joins neighbouring loads.
  for (timing::changed_instruction c : merged_loads_of(l, {.of_global = false, .is_straight = true}).changes) {
    if (c.code < in.first || c.code > in.second) continue;
    if (c.change.executed == 1) c.change.together = most, c.change.loop = number;
    list.push_back(c);
  }
  return list;
}

}  // namespace

change_list loads_together_around(const traced_launch& l, std::uint32_t code) {
  constexpr std::uint64_t usual = 4;  // rounds that a compiler unrolls
  const range in = l.loop_around(code);
  const bool is_in_loop = in.first <= in.second;
  change_list list = is_in_loop ? shared_loads_together(l, in) : change_list();
  const load_groups all = load_groups_of(l);
  const auto found = all.late.find(is_in_loop ? in : range{l.section_begin(code), l.section_begin(code)});
  if (found == all.late.end() || found->second.has_barrier || found->second.rounds < 2) return list;
  const load_group& g = found->second;
  for (const timing::changed_instruction& c :
       g.unrolled(static_cast<std::uint16_t>(g.is_in_loop ? std::min(usual, g.rounds) : g.rounds)))
    list.push_back(c);
  return list;
}

}  // namespace bankwise
