#include "report/table/estimate_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

std::string percent(std::uint64_t apart, std::uint64_t of) {
  if (of == 0) return apart == 0 ? "0%" : "";
  const double share = 100 * static_cast<double>(apart) / static_cast<double>(of);
  return formatted("{}%", fixed(share, share < 10 ? 1 : 0));
}

std::string between(const interval& i) { return formatted("between {} and {}", grouped(i.low), grouped(i.high)); }

}  // namespace

std::string spread_text(const check::amount& a) { return percent(a.apart, a.is); }

std::string interval_sentence(const std::vector<interval>& within, measure of) {
  const measure_row &cost = row_of(of), &waste = row_of(cost.waste);
  const interval *const all = cost.in(within), *const wasted = waste.in(within);
  if (all == nullptr || wasted == nullptr) return "";
  return formatted("{} {}{}", cost.many, between(*all),
                   wasted->high == 0 ? "" : formatted(", {} {}", waste.many, between(*wasted)));
}

std::string sector_interval_sentence(const launch_report& l) {
  const interval* const all = row_of(measure::sectors).in(l.global_within);
  return all == nullptr || all->high == 0 ? "" : interval_sentence(l.global_within, measure::sectors);
}

std::string exactness_sentence(const report& r) {
  std::uint64_t all = 0, estimated = 0, assumed = 0, stopped = 0, failed = 0;
  bool time = false, ctas = false;
  for (const launch_report& l : r.launches) {
    all += l.count;
    assumed += l.assumed;
    if (l.assumed != 0) time = true;
    if (l.partial.why == early_end::reason::time) stopped += l.count, time = true;
    if (exactness_of(l) != exactness::estimated || !(l.scaled || l.after_sample)) continue;
    estimated += l.count - std::min(l.count, l.assumed);
    (l.timed ? time : ctas) = true;
  }
  for (const failed_launches& f : r.failed) failed += f.launches;
  all += failed;
  if (estimated + assumed + stopped + failed == 0) return "";
  const std::string of = formatted(" of {}", count_of(all, "launch", "launches"));
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (all == 1 && estimated == 1)
    add(formatted("estimated: from {} of {}", grouped(r.launches[0].ctas_executed),
                  count_of(blocks_of(r.launches[0].grid), "block")));
  else if (estimated != 0)
    add(formatted("estimated: {}{} from a sample", grouped(estimated), of));
  if (assumed != 0)
    add(formatted("not executed, because the time limit was reached: {}{}, assumed to be equal to an earlier launch",
                  grouped(assumed), of));
  if (stopped != 0)
    add(formatted("partial: {}", all == 1
                                     ? formatted("stopped by {}", worded(setting::time))
                                     : formatted("{}{} stopped by {}", grouped(stopped), of, worded(setting::time))));
  if (failed != 0) add(formatted("failed after a sample: {}{}", grouped(failed), of));
  return formatted("{}. For exact counts, run without {}", text,
                   time && ctas ? formatted("{} and {}", worded(setting::time), worded(setting::ctas))
                                : worded(ctas ? setting::ctas : setting::time));
}

}  // namespace bankwise
