#include "model/parts/block_race.hpp"

#include <algorithm>

namespace bankwise {

void add_races(std::vector<block_race>& to, const std::vector<block_race>& more) {
  for (const block_race& r : more) {
    const auto same = std::find_if(to.begin(), to.end(), [&](const block_race& o) {
      return o.kind == r.kind && o.first == r.first && o.second == r.second;
    });
    if (same == to.end())
      to.push_back(r);
    else
      same->count += r.count;
  }
}

}  // namespace bankwise
