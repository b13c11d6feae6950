#include "profile/best_changes.hpp"

#include <algorithm>
#include <map>

#include "model/causes/causes.hpp"
#include "model/sectors/sector_lines.hpp"
#include "model/source_lines.hpp"

namespace bankwise {

namespace {

using timing::changed_instruction;

// Adds the changes of one instruction to those that it has already.
void add_change(timing::changed_instruction& to, const timing::changed_instruction& more) {
  timing::code_change& a = to.change;
  const timing::code_change& b = more.change;
  if (more.sectors.part < to.sectors.part) to.sectors = more.sectors;
  // A wide load has more wavefronts than each of the loads that it replaces.
  if (b.wavefronts != 1) a.wavefronts = a.wavefronts == 1 ? b.wavefronts : std::min(a.wavefronts, b.wavefronts);
  a.added = std::max(a.added, b.added);
  a.is_early |= b.is_early;
  if (b.together > a.together) a.together = b.together, a.loop = b.loop;
  if (b.enters_loop) a.enters_loop = true, a.loop = b.loop;
  if (b.executed < a.executed) a.executed = b.executed, a.shift = b.shift, a.rounds_of = b.rounds_of;
  if (b.begins_round_of != 0) a.begins_round_of = b.begins_round_of;
  a.skips_jumps |= b.skips_jumps;
  a.copied = std::min(a.copied, b.copied);
  if (b.stages > a.stages) a.stages = b.stages, a.ring = b.ring;
  a.keeps_group |= b.keeps_group;
  if (b.stall != 0) a.stall = a.stall == 0 ? b.stall : std::min(a.stall, b.stall);
}

// Several changes in one. Loops of different changes stay different.
replayed_change joined(const std::vector<const replayed_change*>& changes) {
  constexpr std::uint16_t most_loops = 4096;
  replayed_change all;
  std::map<std::uint32_t, changed_instruction> by_code;
  std::uint16_t first_loop = 0;
  for (const replayed_change* one : changes) {
    for (changed_instruction c : one->instructions) {
      const auto renumber = [&](std::uint16_t& loop) {
        loop = static_cast<std::uint16_t>(loop % most_loops + first_loop);
      };
      renumber(c.change.loop);
      // 0 means that there are no rounds.
      if (c.change.rounds_of != 0) renumber(c.change.rounds_of);
      if (c.change.begins_round_of != 0) renumber(c.change.begins_round_of);
      const auto [at, is_new] = by_code.try_emplace(c.code, c);
      if (!is_new) add_change(at->second, c);
    }
    first_loop = static_cast<std::uint16_t>(first_loop + most_loops);
    all.with.blocks = std::max(all.with.blocks, one->with.blocks);
    all.with.joined = std::max(all.with.joined, one->with.joined);
    all.with.has_code |= one->with.has_code;
    all.part *= one->part;
  }
  for (const auto& [code, c] : by_code) all.instructions.push_back(c);
  return all;
}

std::uint64_t cycles_with(replays& again, const std::vector<const replayed_change*>& changes) {
  const replayed_change all = joined(changes);
  return static_cast<std::uint64_t>(static_cast<double>(again.cycles_with(all.instructions, all.with)) * all.part);
}

const replayed_change* change_of(const replays& again, const delay& d) {
  // Uneven warps are found once, and may have got the place of another delay.
  for (const auto& [known, change] : again.of_delays)
    if (is_same_place(known, d) || (known.is == d.is && d.is == delay_kind::uneven_warps)) return &change;
  return nullptr;
}

// A finding with its change.
struct counted_change {
  std::uint64_t saved = 0;
  std::vector<replayed_change> how;  // of each place
};

// Divides the cycles that one change saves among the places of its cause. Accesses get what the delays do not save alone.
void divide_savings(launch_report& r, const timing::launch_trace& t, const std::vector<sector_remedy>& remedies,
                    const cause_places& p, replays& again) {
  std::vector<replayed_change> changes(1);
  changes[0].instructions = sector_changes_of(r, p.global_sites, t, remedies);
  std::uint64_t largest = 0;
  // Replays of another trace cannot be joined. A wide load, and other lanes for the same bytes, are two remedies.
  bool are_apart = false;
  for (const std::size_t d : p.delays) {
    const replayed_change* const one = change_of(again, r.time.delays[d]);
    if (one == nullptr) return;
    changes.push_back(*one);
    largest = std::max(largest, r.time.delays[d].saved_cycles);
    are_apart |= one->part < 1 || (r.time.delays[d].is == delay_kind::narrow_loads && !p.global_sites.empty());
  }
  std::uint64_t of_sites = 0;
  for (const std::size_t i : p.global_sites) of_sites += r.global_sites[i].saved_cycles;
  std::vector<const replayed_change*> all;
  for (const replayed_change& one : changes) all.push_back(&one);
  const std::uint64_t saved =
      are_apart ? std::max(of_sites, largest) : r.time.cycles - std::min(r.time.cycles, cycles_with(again, all));
  // Each delay keeps what its own replay saves, as far as that is not more than all together.
  std::uint64_t left = saved;
  for (const std::size_t d : p.delays) {
    std::uint64_t& own = r.time.delays[d].saved_cycles;
    own = std::min(own, left);
    left -= own;
  }
  for (const std::size_t i : p.global_sites)
    r.global_sites[i].saved_cycles = scaled(r.global_sites[i].saved_cycles, left, std::max<std::uint64_t>(1, of_sites));
}

// Returns what each finding about a launch saves, and its change.
std::vector<counted_change> changes_of(const launch_report& r, const timing::launch_trace& t,
                                       const std::vector<std::uint64_t>& removable,
                                       const std::vector<costly_sectors>& sector_lines,
                                       const std::vector<sector_remedy>& remedies, const replays& again) {
  std::vector<counted_change> list;
  std::map<std::uint32_t, std::size_t> of_causes;
  const auto add = [&](std::uint32_t cause, std::uint64_t saved, replayed_change how) {
    const auto [at, is_new] = of_causes.try_emplace(cause, list.size());
    if (cause != 0 && !is_new) {
      counted_change& c = list[at->second];
      c.saved += saved;
      if (c.how[0].part == 1 && how.part == 1) c.how.push_back(std::move(how));
    } else {
      list.push_back({saved, {std::move(how)}});
    }
  };
  for (const costly_line& line : costly_lines(r)) {
    std::uint64_t queues = 0, conflicts = 0;
    for (const std::size_t i : line.sites) {
      const site& s = r.sites[i];
      const std::uint64_t both = std::max<std::uint64_t>(1, removable[i] + queued(s));
      conflicts += scaled(s.saved_cycles, removable[i], both);
      queues += scaled(s.saved_cycles, queued(s), both);
    }
    if (conflicts != 0)
      add(r.sites[line.sites[0]].cause, conflicts,
          {wavefront_changes_of(r, line.sites, t, [&](std::size_t i) { return removable[i]; }), {}});
    if (queues != 0)
      add(0, queues, {wavefront_changes_of(r, line.sites, t, [&](std::size_t i) { return queued(r.sites[i]); }), {}});
  }
  for (const costly_sectors& line : sector_lines) {
    std::uint64_t saved = 0;
    for (const std::size_t i : line.sites) saved += r.global_sites[i].saved_cycles;
    if (saved != 0)
      add(r.global_sites[line.sites[0]].cause, saved, {sector_changes_of(r, line.sites, t, remedies), {}});
  }
  for (const delay& d : r.time.delays)
    if (const replayed_change* const how = change_of(again, d); how != nullptr && d.saved_cycles != 0)
      add(d.cause, d.saved_cycles, *how);
  std::stable_sort(list.begin(), list.end(),
                   [](const counted_change& a, const counted_change& b) { return a.saved > b.saved; });
  return list;
}

}  // namespace

void add_joint_savings(launch_report& r, const timing::launch_trace& t, const std::vector<std::uint64_t>& removable,
                       const std::vector<costly_sectors>& sector_lines, const std::vector<sector_remedy>& remedies,
                       replays& again) {
  number_causes(r);
  for (const cause_places& p : causes_of(r))
    if (!p.delays.empty()) divide_savings(r, t, remedies, p, again);
  sort_delays(r.time.delays);
  const std::vector<counted_change> list = changes_of(r, t, removable, sector_lines, remedies, again);
  std::vector<const replayed_change*> best;
  std::uint64_t before = r.time.cycles;
  for (std::size_t i = 0; i < list.size() && i <= r.time.cycles_with_best.size(); ++i) {
    for (const replayed_change& one : list[i].how) best.push_back(&one);
    if (i == 0) {
      before -= std::min(before, list[0].saved);
      continue;
    }
    // A further change costs nothing, although a replay may place blocks worse by a few cycles.
    before = std::min(before, cycles_with(again, best));
    r.time.cycles_with_best[i - 1] = std::max<std::uint64_t>(1, before);
  }
}

}  // namespace bankwise
