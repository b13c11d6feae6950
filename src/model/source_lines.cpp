#include "model/source_lines.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace bankwise {

namespace {

std::uint64_t above_reachable(const site& s) { return s.wavefronts - s.reachable; }

}  // namespace

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

std::vector<costly_line> costly_lines(const launch_report& l) {
  std::vector<costly_line> list;
  const auto add = [&](const std::vector<std::size_t>& candidates) {
    costly_line f;
    for (const std::size_t i : candidates) {
      if (above_reachable(l.sites[i]) == 0) continue;
      f.sites.push_back(i);
      f.removable += removable(l.sites[i]);
      f.queued += queued(l.sites[i]);
      f.saved_cycles += l.sites[i].saved_cycles;
    }
    std::stable_sort(f.sites.begin(), f.sites.end(), [&](std::size_t a, std::size_t b) {
      return above_reachable(l.sites[a]) > above_reachable(l.sites[b]);
    });
    if (!f.sites.empty()) list.push_back(std::move(f));
  };
  for (const source_line& line : by_line(l)) {
    if (line.line != 0)
      add(line.sites);
    else
      for (const std::size_t i : line.sites) add({i});
  }
  std::stable_sort(list.begin(), list.end(), [](const costly_line& a, const costly_line& b) {
    return std::pair(a.saved_cycles, a.removable + a.queued) > std::pair(b.saved_cycles, b.removable + b.queued);
  });
  return list;
}

}  // namespace bankwise
