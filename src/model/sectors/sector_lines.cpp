#include "model/sectors/sector_lines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace bankwise {

bool is_minor(sector_problem p) {
  return p == sector_problem::misaligned || p == sector_problem::local || p == sector_problem::again;
}

std::vector<costly_sectors> costly_sector_lines(const launch_report& l) {
  struct entry {
    std::size_t site;
    sector_reason why;
    std::uint64_t saved;
  };
  std::map<std::tuple<std::string, std::uint32_t, std::uint64_t, sector_problem>, std::vector<entry>> lines;
  for (std::size_t i = 0; i < l.global_sites.size(); ++i) {
    const global_site& s = l.global_sites[i];
    sector_reason why = reason_of(l, s);
    if (!why) continue;
    // Scattered lanes and columns are the same kind of problem.
    const sector_problem kind = why.is == sector_problem::scattered ? sector_problem::column : why.is;
    const std::uint64_t saved = s.sectors - std::min(s.sectors, why.leaves);
    lines[{s.file, s.line, s.line == 0 ? s.pc : 0, kind}].push_back({i, std::move(why), saved});
  }
  std::vector<costly_sectors> list;
  for (auto& [key, entries] : lines) {
    std::stable_sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.saved > b.saved; });
    costly_sectors line;
    for (const entry& e : entries) {
      line.sites.push_back(e.site);
      line.sectors += l.global_sites[e.site].sectors;
      line.left += std::min(l.global_sites[e.site].sectors, e.why.leaves);
    }
    line.worst = std::move(entries.front().why);
    list.push_back(std::move(line));
  }
  std::stable_sort(list.begin(), list.end(), [](const costly_sectors& a, const costly_sectors& b) {
    return std::tuple(!is_minor(a.worst.is), a.saved()) > std::tuple(!is_minor(b.worst.is), b.saved());
  });
  return list;
}

}  // namespace bankwise
