#include "profile/profile.hpp"

#include <algorithm>
#include <map>

namespace bankwise {

namespace {

constexpr std::uint64_t schedulers = 4;

std::uint64_t above_reachable(const site& s) { return s.wavefronts - s.reachable; }

}  // namespace

std::string_view name_of(access_direction d) {
  return d == access_direction::read ? "read" : d == access_direction::write ? "write" : "update";
}

bool parse_direction(std::string_view name, access_direction& d) {
  for (const access_direction one : {access_direction::read, access_direction::write, access_direction::update})
    if (name == name_of(one)) {
      d = one;
      return true;
    }
  return false;
}

validity validity_of(const site& s) {
  if (!s.depends.known) return validity::unknown;
  const sass::inputs all = s.depends.address | s.depends.execution;
  if (all.has(sass::input::data) || all.has(sass::input::time)) return validity::this_run;
  return all.has(sass::input::arguments) ? validity::these_arguments : validity::every_launch;
}

bool depends_on_data(const site& s) {
  return s.depends.known && (s.depends.address.has(sass::input::data) || s.depends.address.has(sass::input::time));
}

namespace {

constexpr struct {
  const char *name, *words;
} validity_names[] = {{"unknown", ""},
                      {"this_run", "this run: it depends on the data"},
                      {"these_arguments", "all data, with these arguments"},
                      {"every_launch", "every launch of this shape"}};

}  // namespace

const char* name_of(validity v) { return validity_names[static_cast<unsigned>(v)].name; }
const char* words_of(validity v) { return validity_names[static_cast<unsigned>(v)].words; }

const char* name_of(early_end::reason r) {
  switch (r) {
    case early_end::reason::none: return "none";
    case early_end::reason::interrupted: return "interrupted";
    case early_end::reason::budget: return "budget";
    case early_end::reason::total_budget: return "total_budget";
    case early_end::reason::time: return "time";
    case early_end::reason::fault: return "fault";
    case early_end::reason::full: return "full";
  }
  return "none";
}

std::string words_of(const early_end& c) {
  switch (c.why) {
    case early_end::reason::budget: return "stopped by --budget";
    case early_end::reason::total_budget: return "stopped by --total-budget";
    case early_end::reason::time: return "stopped by --time";
    case early_end::reason::fault: return "stopped by a fault";
    case early_end::reason::full: return "cut where there were more launches than a report holds";
    case early_end::reason::none:
    case early_end::reason::interrupted: break;
  }
  return "stopped by " + (c.signal.empty() ? "a signal" : c.signal);
}

exactness exactness_of(const launch_report& l) {
  return l.partial                                      ? exactness::partial
         : l.scaled || l.after_sample || l.assumed != 0 ? exactness::estimated
                                                        : exactness::exact;
}

const char* name_of(exactness e) {
  switch (e) {
    case exactness::exact: return "exact";
    case exactness::estimated: return "estimated";
    case exactness::partial: return "partial";
  }
  return "partial";
}

bool is_lower_bound(const launch_report& l) {
  return std::any_of(l.sites.begin(), l.sites.end(), [](const site& s) { return s.executed_at_least; });
}

early_end early_end_of(const report& r) {
  const auto l = std::find_if(r.launches.begin(), r.launches.end(),
                              [](const launch_report& one) { return static_cast<bool>(one.partial); });
  if (r.partial) return r.partial;
  if (l != r.launches.end()) return l->partial;
  // A recording leaves out what it was asked to leave out.
  return {r.origin == "emulated" && !r.not_recorded.empty() ? early_end::reason::full : early_end::reason::none, {}};
}

exactness exactness_of(const report& r) {
  exactness least = early_end_of(r) || !r.failed.empty() ? exactness::partial : exactness::exact;
  for (const launch_report& l : r.launches) least = std::max(least, exactness_of(l));
  return least;
}

time_bound bound_of(const launch_report& l) {
  time_bound b;
  b.issue_cycles = (l.sum.warp_instructions + schedulers - 1) / schedulers;
  for (const site& s : l.sites) {
    const bool multiplies = s.async.kind == async_kind::wgmma;
    b.shared_cycles += multiplies ? s.wavefronts : s.cycles;
    b.shared_cycles_reachable += multiplies ? s.wavefronts : s.best_cycles;
    b.by_data |= is_access(s) && s.best_cycles < s.cycles && depends_on_data(s);
    b.tensor_cycles += multiplies ? s.passes : 0;
  }
  return b;
}

std::vector<source_line> by_line(const launch_report& l) {
  std::map<std::pair<std::string, std::uint32_t>, source_line> lines;
  for (std::size_t i = 0; i < l.sites.size(); ++i) {
    const site& s = l.sites[i];
    source_line& at = lines[{s.file, s.line}];
    at.file = s.file;
    at.line = s.line;
    at.sites.push_back(i);
    at.sum += s;
  }
  std::vector<source_line> list;
  for (auto& [key, line] : lines)
    if (!key.first.empty()) list.push_back(std::move(line));
  if (const auto none = lines.find({"", 0}); none != lines.end()) list.push_back(std::move(none->second));
  return list;
}

std::vector<costly_line> costly_lines(const launch_report& l) {
  std::vector<costly_line> list;
  const auto add = [&](const std::vector<std::size_t>& candidates) {
    costly_line f;
    for (const std::size_t i : candidates) {
      if (above_reachable(l.sites[i]) == 0) continue;
      f.sites.push_back(i);
      f.removable += removable(l.sites[i]);
      f.queued += queued(l.sites[i]);
    }
    std::stable_sort(f.sites.begin(), f.sites.end(), [&](std::size_t a, std::size_t b) {
      return above_reachable(l.sites[a]) > above_reachable(l.sites[b]);
    });
    if (!f.sites.empty()) list.push_back(std::move(f));
  };
  for (const source_line& line : by_line(l)) {
    if (line.line != 0)
      add(line.sites);
    else
      for (const std::size_t i : line.sites) add({i});
  }
  std::stable_sort(list.begin(), list.end(), [](const costly_line& a, const costly_line& b) {
    return a.removable + a.queued > b.removable + b.queued;
  });
  return list;
}

}  // namespace bankwise
