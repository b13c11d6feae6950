#include "report/merge_reports.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "report/run_report.hpp"

namespace bankwise {

namespace {

// What read_report takes.
constexpr std::uint64_t most_merged = std::uint64_t{1} << 48;

// What launches that are equal have in common, and is quickly told.
using outline = std::tuple<std::string, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, std::size_t,
                           std::uint64_t, std::uint64_t>;
outline outline_of(const launch_report& l) {
  return {l.mangled, l.grid, l.block, l.sites.size(), l.sum.warp_instructions, l.sum.wavefronts};
}

// Two launches are equal if their JSON is but for the count.
std::string identity_of(report& r, launch_report& l) {
  const std::uint64_t count = l.count, launches_seen = l.launches_seen;
  l.count = 1;
  l.launches_seen = 0;
  report alone{r.arch, r.origin, r.on, {}, {}, {}};
  alone.launches.push_back(std::move(l));
  std::string text = to_json(alone);
  l = std::move(alone.launches[0]);
  l.count = count;
  l.launches_seen = launches_seen;
  return text;
}

}  // namespace

result<report> merge_reports(std::vector<named_report> reports) {
  if (reports.empty()) return diagnostic{"there is no report to merge"};
  const report& first = reports[0].what;
  for (const named_report& r : reports) {
    if (r.what.arch != first.arch)
      return diagnostic{r.name + " is a report of " + r.what.arch + ", and " + reports[0].name + " one of " +
                            first.arch + ": their wavefronts do not add up",
                        {.file = r.name},
                        "merge the reports of each architecture by themselves"};
    if (r.what.origin != first.origin)
      return diagnostic{r.name + " was " + r.what.origin + ", and " + reports[0].name + " was " + first.origin,
                        {.file = r.name},
                        "merge them by themselves, and set them side by side with bankwise diff"};
  }
  report merged{first.arch, first.origin, first.on, {}, {}, {}};
  for (const named_report& r : reports)
    if (const early_end e = early_end_of(r.what); !merged.partial && e.why != early_end::reason::full)
      merged.partial = e;
  for (const named_report& r : reports)
    merged.not_recorded.insert(merged.not_recorded.end(), r.what.not_recorded.begin(), r.what.not_recorded.end());
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
  // Whole launches are compared where their outlines are equal.
  std::map<outline, std::size_t> alike;
  for (const named_report& r : reports)
    for (const launch_report& l : r.what.launches) ++alike[outline_of(l)];
  std::map<std::string, std::size_t> seen;
  const diagnostic full{"together they hold more than " + grouped(most_launches) + " different launches",
                        {},
                        "merge fewer of them: a report holds no more"};
  for (named_report& r : reports)
    for (launch_report& l : r.what.launches) {
      const bool is_full = merged.launches.size() == most_launches;
      if (alike[outline_of(l)] == 1) {
        if (is_full) return full;
        merged.launches.push_back(std::move(l));
        continue;
      }
      const auto [it, is_new] = seen.try_emplace(identity_of(r.what, l), merged.launches.size());
      if (is_new) {
        if (is_full) return full;
        merged.launches.push_back(std::move(l));
        continue;
      }
      std::uint64_t& count = merged.launches[it->second].count;
      if (l.count > most_merged - count)
        return diagnostic{"more than " + grouped(most_merged) + " launches of " + l.name, {.file = r.name}};
      count += l.count;
      merged.launches[it->second].launches_seen += l.launches_seen;
    }
  return merged;
}

}  // namespace bankwise
