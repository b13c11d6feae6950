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

// Whether a line of a trail names the place, such as "allocated in main, at app.cu:31".
bool is_for_trail(const ignore_entry& e, const std::vector<std::string>& trail) {
  const std::string place = formatted("{}:{}", e.file, e.line);
  return e.line == 0 || std::any_of(trail.begin(), trail.end(), [&](const std::string& step) {
           const std::size_t at = step.find(place), end = at + place.size();
           return at != std::string::npos && (end == step.size() || step[end] < '0' || step[end] > '9');
         });
}

class leaving_out {
 public:
  explicit leaving_out(const std::vector<ignore_entry>& list) : list_(list) {}

  ignored_findings run(report& r) {
    for (launch_report& l : r.launches) of_launch(l);
    drop(r.program_faults, [&](const ignore_entry& e, const program_fault& p) {
      return e.kernel.empty() && is_for_kind(e, kind_of(p)) && is_for_trail(e, p.trail);
    });
    drop(r.ignored_errors, [&](const ignore_entry& e, const failed_calls& c) {
      return e.kernel.empty() && is_for_kind(e, wrong_call) && is_for_trail(e, c.trail);
    });
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
    return is_for_kind(e, f.what->id) && is_for_kernel(e, f.kernel, f.instance) && is_for_line(e, f.file, f.line);
  });
  return at == list.end() ? nullptr : &*at;
}

ignored_findings leave_out(report& r, const std::vector<ignore_entry>& list) { return leaving_out(list).run(r); }

}  // namespace bankwise::check
