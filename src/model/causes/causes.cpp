#include "model/causes/causes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bankwise/global_sectors.hpp"
#include "base/joined_sets.hpp"
#include "model/sectors/sector_lines.hpp"
#include "model/source_lines.hpp"

namespace bankwise {

namespace {

// What can have a cause in common: lines with bank conflicts, lines with sectors, and delays.
class candidates {
 public:
  explicit candidates(const launch_report& l) : l_(l), sectors_(costly_sector_lines(l)) {
    for (costly_line& line : costly_lines(l))
      if (line.removable != 0) conflicts_.push_back(std::move(line));
  }

  // Returns the causes with at least two places.
  std::vector<cause_places> joined() {
    joined_sets sets(conflicts_.size() + sectors_.size() + l_.time.delays.size());
    join_arrays(sets);
    join_distant_lanes(sets);
    join_structures(sets);
    join_delays(sets);
    struct part {
      cause_places places;
      unsigned members = 0;
    };
    std::map<std::size_t, part> all;  // by the root of their set
    const auto part_of = [&](std::size_t i) -> cause_places& {
      part& p = all[sets.root(i)];
      ++p.members;
      return p.places;
    };
    const auto append = [](std::vector<std::size_t>& to, const std::vector<std::size_t>& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    for (std::size_t i = 0; i < conflicts_.size(); ++i) append(part_of(i).sites, conflicts_[i].sites);
    for (std::size_t i = 0; i < sectors_.size(); ++i) append(part_of(of_sectors(i)).global_sites, sectors_[i].sites);
    for (std::size_t i = 0; i < l_.time.delays.size(); ++i) part_of(of_delays(i)).delays.push_back(i);
    std::vector<cause_places> list;
    for (auto& [root, p] : all)
      if (p.members > 1) list.push_back(std::move(p.places));
    return list;
  }

 private:
  std::size_t of_sectors(std::size_t i) const { return conflicts_.size() + i; }
  std::size_t of_delays(std::size_t i) const { return conflicts_.size() + sectors_.size() + i; }
  const global_site& first_of(const costly_sectors& line) const { return l_.global_sites[line.sites.front()]; }

  // Conflicts of one array: its layout. A line with conflicts of several arrays needs several layouts.
  void join_arrays(joined_sets& sets) const {
    std::map<std::size_t, std::vector<std::size_t>> lines;  // by array
    for (std::size_t i = 0; i < conflicts_.size(); ++i) {
      std::set<std::size_t> arrays;
      std::size_t sites = 0;
      for (std::size_t a = 0; a < l_.arrays.size(); ++a)
        for (const std::size_t site : conflicts_[i].sites)
          if (std::find(l_.arrays[a].sites.begin(), l_.arrays[a].sites.end(), site) != l_.arrays[a].sites.end()) {
            arrays.insert(a);
            ++sites;
          }
      if (arrays.size() == 1 && sites == conflicts_[i].sites.size() && l_.arrays[*arrays.begin()].phases.size() < 2)
        lines[*arrays.begin()].push_back(i);
    }
    for (const auto& [array, list] : lines) sets.join(list);
  }

  // Whether lanes of a line are a sector or more apart along the axis x of the threads.
  bool has_distant_lanes(const costly_sectors& line) const {
    return std::all_of(line.sites.begin(), line.sites.end(), [&](std::size_t i) {
      const auto apart = axis_strides_of(l_.global_sites[i].worst, l_.block);
      return memory_of(l_.global_sites[i].kind) == memory_kind::global && apart && is_distant(apart->x);
    });
  }
  // Whether exchanged axes would save more sectors than they add: lanes that are neighbours now would be distant.
  bool is_exchange_good(const std::vector<std::size_t>& distant) const {
    std::uint64_t saved = 0, added = 0;
    std::set<std::size_t> changed;
    for (const std::size_t i : distant) {
      saved += sectors_[i].saved();
      changed.insert(sectors_[i].sites.begin(), sectors_[i].sites.end());
    }
    for (std::size_t i = 0; i < l_.global_sites.size(); ++i) {
      const global_site& s = l_.global_sites[i];
      if (changed.contains(i) || memory_of(s.kind) != memory_kind::global) continue;
      const auto apart = axis_strides_of(s.worst, l_.block);
      if (apart && apart->x != 0 && !is_distant(apart->x)) added += s.lanes - std::min(s.lanes, s.sectors);
    }
    return saved > added;
  }

  // Lanes that are far apart in several lines: the axes of the threads, or the order of their loops. Without a second
  // axis, only lines with the same distance are about the same loop.
  void join_distant_lanes(joined_sets& sets) const {
    std::vector<std::size_t> distant;
    std::map<std::int64_t, std::vector<std::size_t>> by_stride;
    for (std::size_t i = 0; i < sectors_.size(); ++i)
      if (has_distant_lanes(sectors_[i])) {
        distant.push_back(i);
        by_stride[axis_strides_of(first_of(sectors_[i]).worst, l_.block)->x].push_back(of_sectors(i));
      }
    const bool has_axes = l_.block[1] > 1 || l_.block[2] > 1;
    if (has_axes && !is_exchange_good(distant)) return;
    if (!has_axes) {
      for (const auto& [stride, list] : by_stride) sets.join(list);
      return;
    }
    for (std::size_t& i : distant) i = of_sectors(i);
    sets.join(distant);
  }

  // Members of one structure, which touch the same sectors.
  void join_structures(joined_sets& sets) const {
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> lines;  // by function and pc
    for (std::size_t i = 0; i < sectors_.size(); ++i)
      for (const std::size_t site : sectors_[i].sites)
        lines[{l_.global_sites[site].function, l_.global_sites[site].pc}] = i;
    for (std::size_t i = 0; i < sectors_.size(); ++i)
      for (const std::size_t site : sectors_[i].sites)
        for (const std::uint64_t pc : l_.global_sites[site].group.pcs)
          if (const auto other = lines.find({l_.global_sites[site].function, pc}); other != lines.end())
            if (sectors_[other->second].worst.is == sectors_[i].worst.is)
              sets.join(of_sectors(i), of_sectors(other->second));
  }

  void join_delays(joined_sets& sets) const {
    const std::vector<delay>& delays = l_.time.delays;
    const auto of_kind = [&](delay_kind k) {
      const auto at = std::find_if(delays.begin(), delays.end(), [&](const delay& d) { return d.is == k; });
      return at == delays.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - delays.begin()));
    };
    for (std::size_t d = 0; d < delays.size(); ++d)
      for (std::size_t i = 0; i < sectors_.size(); ++i)
        if (is_same_change(delays[d], sectors_[i])) sets.join(of_delays(d), of_sectors(i));
    // Warps wait for one with more work, because few of its lanes do this work.
    const auto lanes = of_kind(delay_kind::few_lanes), warps = of_kind(delay_kind::uneven_warps);
    if (lanes && warps && delays[*warps].place.line != 0 && delays[*lanes].place.line == delays[*warps].place.line &&
        delays[*lanes].place.file == delays[*warps].place.file)
      sets.join(of_delays(*lanes), of_delays(*warps));
  }

  // Whether the change against the delay also changes how the line touches sectors.
  bool is_same_change(const delay& d, const costly_sectors& line) const {
    const global_site& s = first_of(line);
    const sector_problem is = line.worst.is;
    const bool is_of_stack = is == sector_problem::local || is == sector_problem::local_in_loop;
    switch (d.is) {
      case delay_kind::narrow_loads: return !is_of_stack && s.file == d.place.file && s.line == d.place.line;
      case delay_kind::spilled_registers:
      case delay_kind::stack_arrays: return is_of_stack;
      default: return false;
    }
  }

  const launch_report& l_;
  std::vector<costly_line> conflicts_;
  std::vector<costly_sectors> sectors_;
};

}  // namespace

void number_causes(launch_report& l) {
  for (site& s : l.sites) s.cause = 0;
  for (global_site& s : l.global_sites) s.cause = 0;
  for (delay& d : l.time.delays) d.cause = 0;
  std::uint32_t number = 0;
  for (const cause_places& p : candidates(l).joined()) {
    ++number;
    for (const std::size_t i : p.sites) l.sites[i].cause = number;
    for (const std::size_t i : p.global_sites) l.global_sites[i].cause = number;
    for (const std::size_t i : p.delays) l.time.delays[i].cause = number;
  }
}

std::vector<cause_places> causes_of(const launch_report& l) {
  std::map<std::uint32_t, cause_places> all;
  for (std::size_t i = 0; i < l.sites.size(); ++i)
    if (l.sites[i].cause != 0) all[l.sites[i].cause].sites.push_back(i);
  for (std::size_t i = 0; i < l.global_sites.size(); ++i)
    if (l.global_sites[i].cause != 0) all[l.global_sites[i].cause].global_sites.push_back(i);
  for (std::size_t i = 0; i < l.time.delays.size(); ++i)
    if (l.time.delays[i].cause != 0) all[l.time.delays[i].cause].delays.push_back(i);
  std::vector<cause_places> list;
  for (auto& [number, places] : all) list.push_back(std::move(places));
  return list;
}

}  // namespace bankwise
