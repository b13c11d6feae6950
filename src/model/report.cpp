#include "model/report.hpp"

#include <algorithm>

namespace bankwise {

early_end early_end_of(const report& r) {
  const auto l = std::find_if(r.launches.begin(), r.launches.end(),
                              [](const launch_report& one) { return static_cast<bool>(one.partial); });
  if (r.partial) return r.partial;
  if (l != r.launches.end()) return l->partial;
  // A recording omits the launches that its options exclude.
  return {r.origin == "emulated" && !r.not_recorded.empty() ? early_end::reason::full : early_end::reason::none, {}};
}

exactness exactness_of(const report& r) {
  exactness least = early_end_of(r) || !r.failed.empty() ? exactness::partial : exactness::exact;
  for (const launch_report& l : r.launches) least = std::max(least, exactness_of(l));
  return least;
}

}  // namespace bankwise
