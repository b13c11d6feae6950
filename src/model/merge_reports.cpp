#include "model/merge_reports.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/fold.hpp"
#include "model/instances.hpp"

namespace bankwise {

namespace {

// limit of a count; read_report has the same limit
constexpr std::uint64_t most_merged = std::uint64_t{1} << 48;

}  // namespace

result<report> merge_reports(std::vector<named_report> reports) {
  if (reports.empty()) return diagnostic{"there is no report to merge"};
  const report& first = reports[0].what;
  for (const named_report& r : reports) {
    if (r.what.arch != first.arch)
      return diagnostic{formatted("{} is a report for {}, and {} is a report for {}, so the wavefronts of the reports "
                                  "cannot be added",
                                  r.name, r.what.arch, reports[0].name, first.arch),
                        {.file = r.name},
                        "merge the reports of each architecture separately"};
    if (r.what.origin != first.origin)
      return diagnostic{formatted("{} was {}, but {} was {}", r.name, r.what.origin, reports[0].name, first.origin),
                        {.file = r.name},
                        "merge the reports of each kind separately, and compare the results with bankwise diff"};
  }
  report merged{first.arch, first.origin, first.on, {}, {}, {}};
  for (const named_report& r : reports)
    if (const early_end e = early_end_of(r.what); !merged.partial && e.why != early_end::reason::full)
      merged.partial = e;
  for (const named_report& r : reports)
    if (merged.failure.empty()) {
      merged.failure = r.what.failure;
      merged.failed_kernel = r.what.failed_kernel;
    }
  for (const named_report& r : reports)
    merged.not_recorded.insert(merged.not_recorded.end(), r.what.not_recorded.begin(), r.what.not_recorded.end());
  for (const named_report& r : reports) {
    merged.refused.insert(merged.refused.end(), r.what.refused.begin(), r.what.refused.end());
    merged.ignored_errors.insert(merged.ignored_errors.end(), r.what.ignored_errors.begin(),
                                 r.what.ignored_errors.end());
    merged.program_faults.insert(merged.program_faults.end(), r.what.program_faults.begin(),
                                 r.what.program_faults.end());
  }
  for (named_report& r : reports) {
    merged.small += r.what.small;
    if (r.what.timeline.nanoseconds > merged.timeline.nanoseconds) merged.timeline = std::move(r.what.timeline);
  }
  for (const named_report& r : reports)
    for (const library_use& u : r.what.library_calls) {
      const auto same = std::find_if(
          merged.library_calls.begin(), merged.library_calls.end(),
          [&](const library_use& m) { return m.function == u.function && m.computed_by == u.computed_by; });
      if (same == merged.library_calls.end())
        merged.library_calls.push_back(u);
      else
        same->calls += u.calls;
    }
  std::unordered_multimap<std::size_t, std::size_t> by_outline;  // key: hash of a merged launch. Value: its index.
  for (named_report& r : reports)
    for (launch_report& l : r.what.launches) {
      const std::size_t outline = outline_of(l);
      const auto [begin, end] = by_outline.equal_range(outline);
      const auto there =
          std::find_if(begin, end, [&](const auto& one) { return same(merged.launches[one.second], l, tells::saved); });
      if (there == end) {
        if (merged.launches.size() == most_launches)
          return diagnostic{
              formatted("together, the reports have more than {} different launches", grouped(most_launches)),
              {},
              "merge fewer reports"};
        by_outline.emplace(outline, merged.launches.size());
        merged.launches.push_back(std::move(l));
        continue;
      }
      launch_report& all = merged.launches[there->second];
      if (l.count > most_merged - all.count)
        return diagnostic{formatted("there are more than {} launches of {}", grouped(most_merged), l.name),
                          {.file = r.name}};
      add_equal(all, l, found_in::two_reports);
    }
  name_instances(merged);
  return merged;
}

}  // namespace bankwise
