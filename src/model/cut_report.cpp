#include "model/cut_report.hpp"

namespace bankwise {

report first_launches(const report& r, std::size_t n, const early_end& why) {
  report first{r.arch,
               r.origin,
               r.on,
               {r.launches.begin(), r.launches.begin() + static_cast<std::ptrdiff_t>(n)},
               r.code,
               r.sources,
               r.not_recorded,
               r.failed,
               r.library_calls,
               r.refused,
               r.ignored_errors,
               r.program_faults,
               r.small,
               r.timeline,
               why};
  return first;
}

}  // namespace bankwise
