#include "cli/fix/planned_delays.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise::cli {

namespace {

using source_line = std::pair<std::string, std::uint32_t>;

std::uint64_t threads_of(const launch_report& l) {
  std::uint64_t n = 1;
  for (const std::uint64_t side : l.block) n *= side;
  return n;
}

// Returns the lines of a place: its own, and for an inlined function the line of the kernel that calls it.
std::vector<source_line> lines_of(const instruction_place& p) {
  std::vector<source_line> all;
  if (!p.file.empty() && p.line != 0) all.emplace_back(p.file, p.line);
  if (!p.outer_file.empty() && p.outer_line != 0) all.emplace_back(p.outer_file, p.outer_line);
  return all;
}

// Returns lines of the kernel's own code.
std::vector<source_line> lines_of_kernel(const launch_report& l) {
  std::vector<source_line> all;
  const auto add = [&](const instruction_place& p) {
    const std::vector<source_line> its = lines_of(p);
    if (p.function.empty() && !its.empty()) all.push_back(its.back());
  };
  for (const site& s : l.sites) add(s);
  for (const global_site& s : l.global_sites) add(s);
  for (const delay& d : l.time.delays) add(d.place);
  return all;
}

// Returns the first of the lines whose file may be edited, or else the last of them.
source_line line_to_edit(const std::vector<source_line>& lines,
                         const std::function<bool(const std::string& file)>& is_editable) {
  for (const source_line& at : lines)
    if (is_editable(at.first)) return at;
  return lines.empty() ? source_line() : lines.back();
}

// Returns why other launches of the same code forbid the edit, or an empty string. Instances of a template have the same
// name and the same code.
std::string forbidden_by_others(const delay& d, const launch_report& l, const report& r) {
  constexpr std::uint64_t warp = 32;
  for (const launch_report& other : r.launches) {
    if (other.name != l.name) continue;
    if (d.is == delay_kind::low_occupancy && threads_of(other) > threads_of(l))
      return formatted("another launch of {} has blocks of {}", l.name, count_of(threads_of(other), "thread"));
    const bool has_it = std::any_of(other.time.delays.begin(), other.time.delays.end(),
                                    [&](const delay& its) { return its.is == d.is; });
    if (d.is == delay_kind::needless_barriers && threads_of(other) > warp && !has_it)
      return formatted("another launch of {} may need its barriers", l.name);
  }
  return {};
}

// Whether a file can be C++. Line tables of other compilers name sources of other languages.
bool is_cpp(const std::string& file) {
  constexpr std::string_view endings[] = {".cu", ".cuh", ".h",   ".hh",  ".hpp", ".hxx", ".c",
                                          ".cc", ".cpp", ".cxx", ".inc", ".inl", ".ipp", ".tpp"};
  return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view e) { return file.ends_with(e); });
}

// Adds the edit at this line to the plan.
void plan_at(planned_delay& p, const source_line& at, const launch_report& l, const source_files& sources) {
  std::tie(p.file, p.line) = at;
  const auto text = p.file.empty() ? std::nullopt : sources.text(p.file);
  if (!text) {
    p.edit.refused = p.file.empty() ? "the binary has no line tables" : formatted("{} was not found", p.file);
  } else if (!is_cpp(p.file)) {
    p.edit.refused = formatted("{} is not a C++ source", base_name(p.file));
  } else {
    p.edit = edit::edit_delay(*text, p.what, p.line, l.name, threads_of(l));
    if (!p.is_made() || !p.what.is_of_launch()) return;
    const auto end = text->begin() + static_cast<std::ptrdiff_t>(p.edit.changes.front().begin);
    p.line = static_cast<std::uint32_t>(std::count(text->begin(), end, '\n') + 1);
  }
}

planned_delay plan_of(const delay& d, const launch_report& l, const report& r, const source_files& sources,
                      const std::function<bool(const std::string& file)>& is_editable) {
  planned_delay p{d, {&l}, {}, 0, {}};
  const std::vector<source_line> lines = d.is_of_launch() ? lines_of_kernel(l) : lines_of(d.place);
  const source_line at = line_to_edit(lines, is_editable);
  std::tie(p.file, p.line) = at;
  if (!edit::has_edit(d.is)) {
    p.edit.refused = "fix has no edit for this kind of delay";
    return p;
  }
  if (p.edit.refused = forbidden_by_others(d, l, r); !p.edit.refused.empty()) return p;
  plan_at(p, at, l, sources);
  // The loop around an inlined function may be in its caller.
  if (d.is == delay_kind::late_loads && !p.is_made() && lines.size() > 1 && lines.back() != at) {
    planned_delay of_caller{d, {&l}, {}, 0, {}};
    plan_at(of_caller, lines.back(), l, sources);
    if (of_caller.is_made()) return of_caller;
  }
  return p;
}

// Whether the plan is also the plan of this delay of another launch.
bool is_plan_of(const planned_delay& p, const delay& d, const launch_report& l) {
  const launch_report& own = *p.launches.front();
  return is_same_place(p.what, d) && p.what.then == d.then && p.what.limit == d.limit && own.mangled == l.mangled &&
         threads_of(own) == threads_of(l);
}

bool are_same(const planned_delay& a, const planned_delay& b) {
  if (a.what.is != b.what.is || a.file != b.file || a.edit.refused != b.edit.refused) return false;
  if (a.is_made()) return a.edit.changes == b.edit.changes;
  return a.line == b.line && a.launches.front()->name == b.launches.front()->name;
}

// Returns the cycles that a delay costs all equal launches.
std::uint64_t cost_of(const planned_delay& p) { return p.what.order_cycles() * p.launches.front()->count; }

std::string place_of(const planned_delay& p, const source_files& sources) {
  if (p.file.empty() || (p.what.is_of_launch() && !p.is_made())) return {};
  return formatted("{}:{}", sources.path_from_root(p.file), p.line);
}

std::string kernels_of(const planned_delay& p) {
  std::vector<std::string> names;
  for (const launch_report* l : p.launches)
    if (std::find(names.begin(), names.end(), l->name) == names.end()) names.push_back(l->name);
  return enumerated(names);
}

}  // namespace

bool planned_delay::has_kernel(const std::string& mangled) const {
  return std::any_of(launches.begin(), launches.end(), [&](const launch_report* l) { return l->mangled == mangled; });
}

std::string planned_delay::title() const {
  return formatted("{} of {}, line {}", name_of(what.is), kernels_of(*this), line);
}

std::vector<planned_delay> plan_delays(const report& r, const source_files& sources,
                                       const std::function<bool(const launch_report& l)>& is_wanted,
                                       const std::function<bool(const std::string& file)>& is_editable) {
  std::vector<planned_delay> all;
  for (const launch_report& l : r.launches) {
    if (!is_wanted(l)) continue;
    for (const delay& d : l.time.delays) {
      if (d.saved_cycles == 0) continue;  // without a replay, nothing tells whether an edit saves time
      const auto known =
          std::find_if(all.begin(), all.end(), [&](const planned_delay& x) { return is_plan_of(x, d, l); });
      planned_delay p = known == all.end() ? plan_of(d, l, r, sources, is_editable)
                                           : planned_delay{d, {&l}, known->file, known->line, known->edit};
      const auto same = known != all.end() ? known : std::find_if(all.begin(), all.end(), [&](const planned_delay& x) {
        return are_same(x, p);
      });
      if (same == all.end()) {
        all.push_back(std::move(p));
        continue;
      }
      if (cost_of(p) > cost_of(*same)) std::swap(*same, p);
      same->launches.insert(same->launches.end(), p.launches.begin(), p.launches.end());
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const planned_delay& a, const planned_delay& b) { return cost_of(a) > cost_of(b); });
  return all;
}

std::string delays_text(const std::vector<planned_delay>& all, const source_files& sources) {
  std::string text;
  for (const planned_delay& p : all) {
    const std::string place = place_of(p, sources);
    text += formatted("{}{}{}: {}\n", place, place.empty() ? "" : "  ", kernels_of(p), why_of(p.what));
    const predicted_time& t = p.launches.front()->time;
    if (!p.is_made()) {
      text += formatted("   no edit: {}\n   by hand: {}\n", p.edit.refused, remedy_of(p.what));
      continue;
    }
    text += formatted("   {}\n", p.edit.words);
    for (const std::string& line : p.edit.lines) text += formatted("     {}\n", line);
    text += formatted("   removing the delay {}\n", saved_text(t, t.cycles - std::min(t.cycles, p.what.saved_cycles)));
    if (const std::string_view risk = edit::risk_of(p.what.is); !risk.empty()) text += formatted("   note: {}\n", risk);
  }
  return text;
}

}  // namespace bankwise::cli
