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

// Returns the distance from the value to the farther end of its interval.
std::uint64_t farther(const interval& i, std::uint64_t value) {
  return std::max(value - std::min(i.low, value), std::max(i.high, value) - value);
}

std::string between(const interval& i) { return formatted("between {} and {}", grouped(i.low), grouped(i.high)); }

}  // namespace

const interval* interval_of(const std::vector<interval>& within, std::string_view count) {
  for (std::size_t i = 0; i < std::size(total_rows) && i < within.size(); ++i)
    if (count == total_rows[i].name) return &within[i];
  return nullptr;
}

std::string spread_text(const launch_report& l) {
  const interval* const i = interval_of(l.within, "wavefronts");
  return i == nullptr ? "" : percent(farther(*i, l.sum.wavefronts), l.sum.wavefronts);
}

// Returns the possible error of the wavefronts of several sites, in percent. The result is an upper bound, because it
// is the sum of the errors of all sites.
std::string spread_text(const launch_report& l, const std::vector<std::size_t>& sites) {
  std::uint64_t apart = 0, sum = 0;
  for (const std::size_t n : sites) {
    const site& s = l.sites[n];
    const interval* const i = interval_of(s.within, "wavefronts");
    if (i == nullptr) return "";
    apart += farther(*i, s.wavefronts);
    sum += s.wavefronts;
  }
  return percent(apart, sum);
}

std::string interval_sentence(const std::vector<interval>& within) {
  const interval *const wavefronts = interval_of(within, "wavefronts"), *const removable =
                                                                            interval_of(within, "removable");
  if (wavefronts == nullptr || removable == nullptr) return "";
  return formatted("wavefronts {}{}", between(*wavefronts),
                   removable->high == 0 ? "" : formatted(", removable wavefronts {}", between(*removable)));
}

std::string sector_spread_text(const launch_report& l) {
  const interval* const i = global_interval_of(l.global_within, "sectors");
  const std::uint64_t sectors = sum_of(l.global_sites).sectors;
  return i == nullptr ? "" : percent(farther(*i, sectors), sectors);
}

std::string sector_spread_text(const std::vector<const global_site*>& sites) {
  std::uint64_t apart = 0, sum = 0;
  for (const global_site* s : sites) {
    const interval* const i = global_interval_of(s->within, "sectors");
    if (i == nullptr) return "";
    apart += farther(*i, s->sectors);
    sum += s->sectors;
  }
  return percent(apart, sum);
}

std::string sector_interval_sentence(const launch_report& l) {
  const interval *const sectors = global_interval_of(l.global_within, "sectors"), *const excess = global_interval_of(
                                                                                      l.global_within,
                                                                                      "excess_sectors");
  if (sectors == nullptr || excess == nullptr || sectors->high == 0) return "";
  return formatted("sectors {}{}", between(*sectors),
                   excess->high == 0 ? "" : formatted(", excess sectors {}", between(*excess)));
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
