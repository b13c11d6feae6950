#include "report/sections/trouble_counts.hpp"

namespace bankwise {

trouble_counts count_troubles(const report& r) {
  trouble_counts all;
  for (const launch_report& l : r.launches) {
    if (!l.checked.any()) all.races += l.hazards.size();
    all.out_of_bounds += l.out_of_bounds.size();
  }
  for (const refused_launches& l : r.refused) all.refused += l.launches;
  return all;
}

}  // namespace bankwise
