#include "rendering.hpp"

#include <algorithm>
#include <cstdio>

#include "output.hpp"
#include "report/annotations.hpp"
#include "report/page.hpp"
#include "report/sarif.hpp"
#include "report/site_table.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

result<std::string> report_format(const arguments& args) {
  return output_format(args, "text", {"text", "json", "html", "csv", "sarif", "junit", "github"});
}

result<done> place_issues(const arguments& args, const source_files& sources, std::vector<check::issue>& issues) {
  const std::string root = args.value("root").value_or(".");
  std::error_code ec;
  if (!std::filesystem::is_directory(root, ec))
    return diagnostic{"--root " + root + ": there is no such folder", {}, {}, "root"};
  for (check::issue& i : issues) i.path = sources.path_from_root(i.file);
  return done{};
}

result<std::string> render(const arguments& args, const std::string& format, const report& r, const launch_fixes& fixes,
                           source_files& sources, const std::string& input) {
  if (format == "json") return to_json(r, fixes);
  if (format == "html") return to_html(r, fixes);
  if (format == "csv") return to_csv(r);
  if (format == "text") {
    const auto paint = output_style(args);
    if (!paint) return paint.error();
    // What the report holds was there when it was made; the file may have changed since.
    std::map<std::pair<std::string, std::uint32_t>, std::string> lines;
    for (const launch_report& l : r.launches)
      for (const site& s : l.sites)
        if (!s.text.empty()) lines.try_emplace({s.file, s.line}, s.text);
    for (const launch_report& l : r.launches)
      for (const out_of_bounds_access& a : l.out_of_bounds)
        if (!a.place.text.empty()) lines.try_emplace({a.place.file, a.place.line}, a.place.text);
    return to_text(r, *paint, {args.has("all"), !args.has("fix"), [&](const std::string& file, std::uint32_t line) {
                                 const auto kept = lines.find({file, line});
                                 return kept != lines.end() ? kept->second : sources.line(file, line);
                               }});
  }
  std::vector<check::issue> issues = check::collect_issues(r);
  if (const auto placed = place_issues(args, sources, issues); !placed) return placed.error();
  if (format == "sarif") return to_sarif(issues, input, early_end_of(r));
  if (format == "github") return to_annotations(issues);
  std::vector<check::passed_case> passed;
  for (const launch_report& l : r.launches)
    if (!l.partial &&
        std::none_of(issues.begin(), issues.end(), [&](const check::issue& i) { return i.kernel == l.kernel; }) &&
        std::none_of(passed.begin(), passed.end(), [&](const auto& p) { return p.group == l.kernel; }))
      passed.push_back({l.kernel, "no findings"});
  for (check::issue& i : issues) i.fails = i.what->level != check::severity::note;
  return to_junit(issues, passed);
}

result<checks> read_checks(const arguments& args) {
  if (!args.has("check")) return checks{};
  const auto what = choice(args, "check", "all", {"uninit", "race", "all"});
  if (!what) return what.error();
  return checks{*what != "race", *what != "uninit"};
}

result<bool> read_strict_bounds(const arguments& args) {
  const auto faults = choice(args, "faults", "report", {"report", "stop"});
  if (!faults) return faults.error();
  return *faults == "stop";
}

void tell_out_of_bounds(const report& r) {
  std::size_t n = 0;
  for (const launch_report& l : r.launches) n += l.out_of_bounds.size();
  if (n != 0)
    std::fprintf(stderr, "bankwise: %zu instruction%s out of bounds of global memory; the report says where\n", n,
                 n == 1 ? "" : "s");
}

result<int> status_of(const arguments& args, const report& r) {
  const auto fail_on = choice(args, "fail-on", "never", {"removable", "any", "never"});
  if (!fail_on) return fail_on.error();
  bool removable = false, others = false, hazards = false, out_of_bounds = false;
  for (const launch_report& l : r.launches) {
    removable |= l.sum.removable != 0;
    others |= l.sum.queued != 0 || std::any_of(l.sites.begin(), l.sites.end(), goes_round);
    hazards |= !l.hazards.empty();
    out_of_bounds |= !l.out_of_bounds.empty();
  }
  if (hazards || (*fail_on != "never" && (removable || out_of_bounds)) || (*fail_on == "any" && others))
    return exit_findings;
  if (const early_end partial = early_end_of(r); partial && *fail_on != "never")
    return diagnostic{"--fail-on " + *fail_on + ": the report is partial, " + words_of(partial) +
                          ", and has no findings so far: what was not executed cannot pass",
                      {},
                      "make the report again, to the end of the run"};
  return exit_clean;
}

}  // namespace bankwise::cli
