#include "profile/sector_groups.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "base/joined_sets.hpp"

namespace bankwise {

namespace {

using sector_list = std::vector<std::uint64_t>;

// number of following sites with which each site is compared
constexpr std::size_t most_compared_sites = 64;

sector_list sectors_of(const global_tally::first_access& a, std::uint32_t width_bytes) {
  sector_list sectors;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t at = a.address[static_cast<std::size_t>(std::countr_zero(rest))];
    for (std::uint64_t s = at / sector_bytes; s <= (at + width_bytes - 1) / sector_bytes; ++s) sectors.push_back(s);
  }
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  return sectors;
}

std::size_t common(const sector_list& a, const sector_list& b) {
  std::size_t n = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    n += *i == *j;
    const bool steps_a = *i <= *j, steps_b = *j <= *i;
    i += steps_a;
    j += steps_b;
  }
  return n;
}

}  // namespace

void find_sector_groups(std::vector<global_site>& sites, const std::vector<const global_tally::first_access*>& first) {
  // Sites can be in one group only if the same warp executed all of them, and equally often.
  std::map<std::tuple<std::string, global_kind, std::uint64_t, std::uint32_t, std::uint64_t>, std::vector<std::size_t>>
      alike;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const global_site& s = sites[i];
    if ((s.kind != global_kind::load && s.kind != global_kind::store) || first[i]->mask == 0) continue;
    alike[{s.function, s.kind, first[i]->block, first[i]->warp, s.requests}].push_back(i);
  }
  joined_sets sets(sites.size());  // sites of one group
  std::vector<sector_list> sectors(sites.size());
  for (const auto& [key, members] : alike) {
    if (members.size() < 2) continue;
    for (const std::size_t i : members) sectors[i] = sectors_of(*first[i], sites[i].width_bytes);
    for (std::size_t a = 0; a < members.size(); ++a)
      for (std::size_t b = a + 1; b < std::min(members.size(), a + most_compared_sites); ++b) {
        const sector_list &x = sectors[members[a]], &y = sectors[members[b]];
        if (2 * common(x, y) >= std::min(x.size(), y.size())) sets.join(members[a], members[b]);
      }
  }
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (!sectors[i].empty()) groups[sets.root(i)].push_back(i);
  for (const auto& [root, members] : groups) {
    if (members.size() < 2) continue;
    sector_group g;
    sector_list all;
    for (const std::size_t i : members) {
      g.pcs.push_back(sites[i].pc);
      g.sectors += static_cast<std::uint32_t>(sectors[i].size());
      all.insert(all.end(), sectors[i].begin(), sectors[i].end());
    }
    std::sort(all.begin(), all.end());
    g.distinct_sectors = static_cast<std::uint32_t>(std::unique(all.begin(), all.end()) - all.begin());
    for (const std::size_t i : members) sites[i].group = g;
  }
}

}  // namespace bankwise
