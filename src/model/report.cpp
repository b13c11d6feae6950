#include "model/report.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/format.hpp"

namespace bankwise {

early_end early_end_of(const report& r) {
  const auto l = std::find_if(r.launches.begin(), r.launches.end(),
                              [](const launch_report& one) { return static_cast<bool>(one.partial); });
  if (r.partial) return r.partial;
  if (l != r.launches.end()) return l->partial;
  // A missing launch in a recording is not an early end, because the options of the recording exclude the launch.
  return {r.origin == "emulated" && !r.not_recorded.empty() ? early_end::reason::full : early_end::reason::none, {}};
}

std::string failure_of(const report& r) {
  if (!r.failure.empty()) return r.failure;
  const early_end e = early_end_of(r);
  const std::string_view of_crashes[] = {"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP"};
  const bool crashed = std::find(std::begin(of_crashes), std::end(of_crashes), e.signal) != std::end(of_crashes);
  return e.why == early_end::reason::fault || crashed ? words_of(e) : std::string();
}

std::string failure_sentence(const diagnostic& why) {
  const std::string first = why.message.substr(0, why.message.find('\n'));
  if (why.where.file.empty()) return first;
  return formatted("{} ({}{})", first, why.where.file,
                   why.where.line == 0 ? std::string() : formatted(":{}", why.where.line));
}

exactness exactness_of(const report& r) {
  exactness least = early_end_of(r) || !r.failed.empty() ? exactness::partial : exactness::exact;
  for (const launch_report& l : r.launches) least = std::max(least, exactness_of(l));
  return least;
}

predicted_time time_of_launches(const report& r, const std::function<bool(const launch_report&)>& wanted) {
  std::vector<const launch_report*> launches;
  for (const launch_report& l : r.launches)
    if (!wanted || wanted(l)) launches.push_back(&l);
  return time_of_launches(launches);
}

predicted_time time_of_launches(const std::vector<const launch_report*>& launches) {
  predicted_time all;
  for (const launch_report* const l : launches) {
    if (!l->time) return {};
    predicted_time one = l->time;
    one *= l->count;
    if (!all) {
      all = one;
      continue;
    }
    all += one;
    if (!all) return {};
  }
  return all;
}

}  // namespace bankwise
