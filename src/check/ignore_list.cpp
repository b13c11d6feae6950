// A list of findings to ignore, which is compared with the kernels and lines of a report.
#include "check/ignore_list.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "check/budget_kernels.hpp"
#include "model/instances.hpp"

namespace bankwise::check {

namespace {

bool is_path(const std::string& path, const std::string& wanted) {
  return path == wanted || path.ends_with(formatted("/{}", wanted));
}

bool is_for_kind(const ignore_entry& e, std::string_view id) {
  return std::find(e.findings.begin(), e.findings.end(), id) != e.findings.end();
}

bool is_for_kernel(const ignore_entry& e, const std::string& kernel, const std::string& instance) {
  if (e.kernel.empty()) return true;
  return !kernel.empty() && (matches(e.kernel, kernel) || matches(e.kernel, instance) ||
                             matches(e.kernel, instance.substr(0, instance.find('<'))));
}

bool is_for_line(const ignore_entry& e, const std::string& file, std::uint32_t line) {
  return e.line == 0 || (e.line == line && is_path(file, e.file));
}

// Whether the entry is for a finding with this line, or whose other lines are all the entry's line.
bool is_for_lines(const ignore_entry& e, const finding& f) {
  return is_for_line(e, f.file, f.line) ||
         (!f.also_at.empty() && std::all_of(f.also_at.begin(), f.also_at.end(),
                                            [&](const auto& at) { return is_for_line(e, at.first, at.second); }));
}

// Whether the entry is for a call of the program that a check reports. Such a call has neither a kernel nor a line.
bool is_for_call(const ignore_entry& e, std::string_view id, std::string_view check) {
  return e.kernel.empty() && e.line == 0 &&
         (is_for_kind(e, id) || std::find(e.checks.begin(), e.checks.end(), check) != e.checks.end());
}

class leaving_out {
 public:
  explicit leaving_out(const std::vector<ignore_entry>& list) : list_(list) {}

  ignored_findings run(report& r) {
    for (launch_report& l : r.launches) of_launch(l);
    drop(r.program_faults,
         [](const ignore_entry& e, const program_fault& p) { return is_for_call(e, kind_of(p), check_of(p)); });
    drop(r.ignored_errors,
         [](const ignore_entry& e, const failed_calls&) { return is_for_call(e, wrong_call, "memory"); });
    for (const ignore_entry& e : list_)
      if (!used_.contains(&e)) left_.idle.push_back(&e);
    return left_;
  }

 private:
  void of_launch(launch_report& l) {
    const std::string instance = shown_name(l);
    const auto is_for = [&](const ignore_entry& e, std::string_view id, const code_place& first,
                            const code_place& second) {
      return is_for_kind(e, id) && is_for_kernel(e, l.kernel, instance) &&
             (is_for_line(e, first.file, first.line) || is_for_line(e, second.file, second.line));
    };
    drop(l.hazards, [&](const ignore_entry& e, const hazard& h) { return is_for(e, kind_of(h), h.first, h.second); });
    drop(l.block_races, [&](const ignore_entry& e, const block_race& b) { return is_for(e, race, b.first, b.second); });
    drop(l.out_of_bounds, [&](const ignore_entry& e, const out_of_bounds_access& a) {
      return is_for(e, out_of_bounds, a.place, a.place);
    });
    drop(l.other_results, [&](const ignore_entry& e, const other_result&) {
      return e.line == 0 && is_for_kind(e, other_results) && is_for_kernel(e, l.kernel, instance);
    });
  }

  void drop(auto& values, auto is_for) {
    left_.findings += std::erase_if(values, [&](const auto& value) {
      for (const ignore_entry& e : list_)
        if (is_for(e, value)) {
          used_.insert(&e);
          return true;
        }
      return false;
    });
  }

  const std::vector<ignore_entry>& list_;
  std::set<const ignore_entry*> used_;
  ignored_findings left_;
};

}  // namespace

const ignore_entry* ignored_by(const std::vector<ignore_entry>& list, const finding& f) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const ignore_entry& e) {
    if (!f.found_by.empty()) return is_for_call(e, f.what->id, f.found_by);
    return is_for_kind(e, f.what->id) && is_for_kernel(e, f.kernel, f.instance) && is_for_lines(e, f);
  });
  return at == list.end() ? nullptr : &*at;
}

ignored_findings leave_out(report& r, const std::vector<ignore_entry>& list) { return leaving_out(list).run(r); }

}  // namespace bankwise::check
