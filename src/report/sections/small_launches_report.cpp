#include "report/sections/small_launches_report.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise {

std::string small_launches_text(const report& r, const style& s) {
  if (!r.small) return {};
  const double percent = 100 * static_cast<double>(r.small.saved()) / static_cast<double>(r.small.nanoseconds);
  return formatted("  {}  {}; removing it saves {}%: about {} of {}; {}\n", s.strong("the program"),
                   s.bad(why_of(r.small)), fixed(percent, 0), duration_text(r.small.saved()),
                   duration_text(r.small.nanoseconds), s.good(formatted("fix: {}", remedy_of(r.small))));
}

}  // namespace bankwise
