#include "timing/multiprocessor/scoreboards.hpp"

#include <algorithm>

namespace bankwise::timing {

pending_result scoreboards::drained_of(std::uint8_t mask) {
  pending_result last;
  for (unsigned n = 0; n < number; ++n) {
    if ((mask >> n & 1) == 0) continue;
    for (const pending_result& one : under_way_[n]) last = later(last, one);
    under_way_[n].clear();
  }
  return last;
}

pending_result scoreboards::drained_to(unsigned scoreboard, std::size_t remaining) {
  if (scoreboard >= number) return {};
  std::vector<pending_result>& list = under_way_[scoreboard];
  if (list.size() <= remaining) return {};
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.done < b.done; });
  const pending_result last = list[list.size() - 1 - remaining];
  list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(remaining));
  return last;
}

}  // namespace bankwise::timing
