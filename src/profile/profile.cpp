#include "profile/profile.hpp"

#include <algorithm>
#include <map>

namespace bankwise {

namespace {

constexpr std::uint64_t schedulers = 4;

}  // namespace

counts& counts::operator+=(const counts& other) {
  executed += other.executed;
  lanes += other.lanes;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  reachable += other.reachable;
  ncu_wavefronts += other.ncu_wavefronts;
  ncu_ideal += other.ncu_ideal;
  passes += other.passes;
  cycles += other.cycles;
  layout_floor += other.layout_floor;
  best_cycles += other.best_cycles;
  open_accesses += other.open_accesses;
  bytes += other.bytes;
  return *this;
}

std::uint64_t scaled(std::uint64_t n, std::uint64_t whole, std::uint64_t part) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((wide{n} * whole * 2 + part) / (wide{part} * 2));
}

void scale(counts& c, std::uint64_t whole, std::uint64_t part) {
  for (std::uint64_t* n :
       {&c.executed, &c.lanes, &c.wavefronts, &c.ideal, &c.reachable, &c.passes, &c.cycles, &c.layout_floor,
        &c.best_cycles, &c.open_accesses, &c.bytes, &c.ncu_wavefronts, &c.ncu_ideal})
    *n = scaled(*n, whole, part);
}

totals& totals::operator+=(const counts& c) {
  executed += c.executed;
  wavefronts += c.wavefronts;
  ideal += c.ideal;
  reachable += c.reachable;
  cycles += c.cycles;
  return *this;
}

time_bound bound_of(const launch_report& l) {
  time_bound b;
  b.issue_cycles = (l.sum.warp_instructions + schedulers - 1) / schedulers;
  for (const site& s : l.sites) {
    const bool multiplies = s.async.kind == async_kind::wgmma;
    b.shared_cycles += multiplies ? s.wavefronts : s.cycles;
    b.shared_cycles_reachable += multiplies ? s.wavefronts : s.best_cycles;
    b.tensor_cycles += multiplies ? s.passes : 0;
  }
  return b;
}

std::vector<source_line> by_line(const launch_report& l) {
  std::map<std::pair<std::string, std::uint32_t>, source_line> lines;
  for (std::size_t i = 0; i < l.sites.size(); ++i) {
    const site& s = l.sites[i];
    source_line& at = lines[{s.file, s.line}];
    at.file = s.file;
    at.line = s.line;
    at.sites.push_back(i);
    at.sum += s;
  }
  std::vector<source_line> list;
  for (auto& [key, line] : lines)
    if (!key.first.empty()) list.push_back(std::move(line));
  if (const auto none = lines.find({"", 0}); none != lines.end()) list.push_back(std::move(none->second));
  return list;
}

std::vector<finding> findings(const launch_report& l) {
  std::vector<finding> list;
  const auto add = [&](const std::vector<std::size_t>& candidates) {
    finding f;
    for (const std::size_t i : candidates) {
      if (removable(l.sites[i]) == 0) continue;
      f.sites.push_back(i);
      f.removable += removable(l.sites[i]);
      f.removable_by_layout += removable_by_layout(l.sites[i]);
    }
    std::stable_sort(f.sites.begin(), f.sites.end(),
                     [&](std::size_t a, std::size_t b) { return removable(l.sites[a]) > removable(l.sites[b]); });
    if (!f.sites.empty()) list.push_back(std::move(f));
  };
  for (const source_line& line : by_line(l)) {
    if (line.line != 0)
      add(line.sites);
    else
      for (const std::size_t i : line.sites) add({i});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const finding& a, const finding& b) { return a.removable > b.removable; });
  return list;
}

}  // namespace bankwise
