// bankwise check: compares reports with budgets and baselines, and applies suppressions.
#include <algorithm>
#include <filesystem>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "check/config_edit.hpp"
#include "check/verdict.hpp"
#include "cli/check/project_runs.hpp"
#include "cli/input/saved_report.hpp"
#include "cli/line/output.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "cli/run/present.hpp"
#include "report/forms/report_formats.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* no_runs = "to add a run, pass the arguments of bankwise run to bankwise init";

// Reads the file of --config. Without this flag, reads bankwise.toml in the working folder, if it exists.
result<check::config> load_config(const arguments& args) {
  const std::string file = args.value("config").value_or(usual_config);
  std::error_code ec;
  if (!args.has("config") && !fs::exists(file, ec)) {
    check::config none;
    none.name = file;
    return none;
  }
  const auto text = read_file(file);
  if (!text) return text.error();
  auto c = check::read_config(*text, file);
  if (!c) return c.error();
  // Relative paths in the configuration start at its folder.
  const fs::path folder = folder_of_config(file);
  for (std::string& r : c->reports) r = (folder / r).string();
  if (!c->baseline.empty()) c->baseline = (folder / c->baseline).string();
  return c;
}

// Finds the reports to check: the reports on the command line, or otherwise the reports and runs in the configuration.
result<done> find_reports(const arguments& args, check::verdict_question& q, std::vector<std::string>& files) {
  files = args.positional;
  const bool runs = files.empty() && !q.asked.runs.empty();
  if (const char* const of_runs = args.has("run")     ? "run"
                                  : args.has("rerun") ? "rerun"
                                  : args.has("jobs")  ? "jobs"
                                                      : nullptr;
      of_runs != nullptr && !runs)
    return files.empty() ? diagnostic{formatted("--{}: {} has no [[run]]", of_runs, q.asked.name), {}, no_runs}
                         : diagnostic{formatted("--{} applies to the runs of {}, but the command line names reports",
                                                of_runs, q.asked.name),
                                      {},
                                      "leave out the flag or the reports"};
  if (files.empty() && !args.has("run")) files = q.asked.reports;
  // Index of the first report that a run made. Reports of runs are already read.
  std::size_t from_files = ~std::size_t{0};
  std::vector<report> of_runs_made;
  if (runs) {
    const auto jobs = number(args, "jobs", 0, 1, most_jobs);
    if (!jobs) return jobs.error();
    const stop_on_signals stops;
    auto made = make_reports({.folder = folder_of_config(q.asked.name),
                              .asked = &q.asked,
                              .only = args.all("run"),
                              .again = args.has("rerun"),
                              .jobs = static_cast<unsigned>(*jobs)});
    if (!made) return made.error();
    q.runs.resize(files.size());
    from_files = files.size();
    for (made_report& r : *made) {
      if (const auto partial = refuse_partial(r.what, r.file)) return *partial;
      files.push_back(r.file);
      q.runs.push_back(r.run);
      of_runs_made.push_back(std::move(r.what));
    }
  }
  if (files.empty())
    return diagnostic{
        "there is no report to check",
        {},
        formatted("name a report: bankwise check report.json. Or pass the arguments of bankwise run to bankwise "
                  "init, which writes {}",
                  usual_config)};
  q.has_all = !runs || !args.has("run");
  // Budgets of runs that are not checked are ignored.
  std::erase_if(q.asked.budgets, [&](const check::budget& b) {
    return !b.run.empty() && std::find(q.runs.begin(), q.runs.end(), b.run) == q.runs.end();
  });
  for (std::size_t i = 0; i < std::min(from_files, files.size()); ++i) {
    auto r = load_whole_report(files[i]);
    if (!r) return r.error();
    q.reports.push_back(std::move(*r));
  }
  for (report& r : of_runs_made) q.reports.push_back(std::move(r));
  return done{};
}

// Lowers limits in the configuration to the highest value that a launch needs. Returns a line for each change.
result<std::vector<std::string>> lower_budgets(const check::config& c, const std::vector<check::loose_limit>& loose) {
  std::vector<std::string> changed;
  const auto lock = lock_config(c.name, c);
  if (!lock) return lock.error();
  const auto before = read_file(c.name);
  if (!before) return before.error();
  const auto now = check::read_config(*before, c.name);
  if (!now) return now.error();
  std::string text = *before;
  // Limits at the end of the file are changed first, because a change moves all later lines.
  std::vector<check::loose_limit> ordered = loose;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.config_line > b.config_line; });
  for (const check::loose_limit& l : ordered) {
    const bool is_there = std::any_of(now->budgets.begin(), now->budgets.end(),
                                      [&](const check::budget& b) { return b.config_line == l.config_line; });
    if (!is_there)
      return diagnostic{
          formatted("{} changed while the check ran, so bankwise did not update the budgets in this file", c.name),
          {},
          "run bankwise check --update-budgets again"};
    check::set_value(text, l.config_line, l.key, l.is);
    changed.insert(changed.begin(),
                   formatted("{}:{}: {}: {} {} instead of {}", c.name, l.config_line, l.about, l.key, l.is, l.allowed));
  }
  if (const auto as_read = check::read_config(text, c.name); !as_read) return as_read.error();
  if (const auto written = write_file(c.name, text); !written) return written.error();
  return changed;
}

// Sets the path of each finding, relative to --root.
result<done> place_findings(const arguments& args, const source_files& sources, std::vector<check::finding>& findings) {
  if (const auto wrong = refuse_root(args)) return *wrong;
  for (check::finding& i : findings) i.path = sources.path_from_root(i.file);
  return done{};
}

}  // namespace

result<int> check_reports(const arguments& args) {
  std::vector<std::string> names;
  for (const check_format& f : check_formats()) names.emplace_back(f.name);
  const auto format = output_format(args, names.front(), names);
  if (!format) return format.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  check::verdict_question q;
  auto asked = load_config(args);
  if (!asked) return asked.error();
  q.asked = std::move(*asked);
  const auto word = choice(args, "fail-on", "new", {"new", "any", "budget", "never"});
  if (!word) return word.error();
  q.fails = *check::parse_fail_on(*word);
  if (!args.has("fail-on") && q.asked.fails) q.fails = *q.asked.fails;

  std::vector<std::string> files;
  if (const auto found = find_reports(args, q, files); !found) return found.error();
  const bool update = args.has("update-baseline"), lower = args.has("update-budgets");
  if (lower && q.asked.budgets.empty())
    return diagnostic{formatted("--update-budgets: {} has no budget that could be lowered", q.asked.name), {}, no_runs};
  const std::string baseline = args.value("baseline").value_or(q.asked.baseline);
  if (update && baseline.empty())
    return diagnostic{
        "--update-baseline needs a file", {}, "pass --baseline FILE, or set baseline = \"...\" in bankwise.toml"};
  std::error_code ec;
  if (!baseline.empty() && !update) {
    if (!fs::exists(baseline, ec))
      return diagnostic{formatted("the baseline file {} does not exist", baseline),
                        {},
                        "to write this file, run bankwise check --update-baseline"};
    const auto text = read_file(baseline);
    if (!text) return text.error();
    auto known = check::read_baseline(*text, baseline);
    if (!known) return known.error();
    q.baseline = std::move(*known);
  }

  const source_files sources(args, files[0]);
  q.source = [&](const std::string& file) { return sources.text(file); };
  check::verdict v = check::judge(q);
  if (const auto placed = place_findings(args, sources, v.findings); !placed) return placed.error();
  if (update) {
    const std::vector<check::known_finding> known = check::baseline_of(v.findings);
    const auto written = write_file(baseline, check::to_json(known));
    if (!written) return written.error();
    return write_plain("", formatted("{}: {}{}", baseline, known.size(),
                                     known.size() == 1 ? " known finding\n" : " known findings\n"))
               ? result<int>(exit_clean)
               : exit_failed;
  }
  if (lower) {
    const auto changed = lower_budgets(q.asked, v.loose);
    if (!changed) return changed.error();
    for (const std::string& one : *changed) tell(one);
    if (changed->empty())
      tell(formatted("{}: unchanged, because no budget is higher than the current cost", q.asked.name));
    v.loose.clear();
  }
  const auto form = std::find(names.begin(), names.end(), *format) - names.begin();
  presentation how;
  how.paint = *look;
  how.all = args.has("all");
  how.input = files[0];
  const auto written =
      write_file(args.value("output").value_or(""),
                 in_form(*format, check_formats()[static_cast<std::size_t>(form)].write(v, how), *look));
  if (!written) return written.error();
  if (!v.failed && v.lacks_counts && q.fails != check::fail_on::never)
    return diagnostic{
        "a report lacks counts that a budget limits (see the notes of the check), so the check cannot decide whether "
        "the cost is within the budget",
        {},
        "make the report again with the flag that the notes name"};
  if (!v.failed && v.undecided && q.fails != check::fail_on::never)
    return diagnostic{
        "the counts of the report are estimates (see the notes of the report), so the check cannot decide whether "
        "the cost is within the budget",
        {},
        "make the report again without --time and --ctas, or with more time"};
  return v.failed ? exit_findings : exit_clean;
}

}  // namespace bankwise::cli
