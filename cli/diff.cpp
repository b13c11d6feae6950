// bankwise diff and merge: compare two reports, and join reports.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "check/diff.hpp"
#include "check/saturate.hpp"

#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/check/commit_reports.hpp"
#include "cli/input/saved_report.hpp"
#include "cli/line/output.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/tune/merge_tuned.hpp"
#include "model/merge_reports.hpp"
#include "report/forms/diff_comment.hpp"
#include "report/json/write_report.hpp"
#include "report/page/page.hpp"
#include "report/text/diff_report.hpp"
#include "report/text/run_report.hpp"
#include "tune/tuned_json.hpp"

namespace bankwise::cli {

namespace {

struct compared_files {
  check::report_diff what;
  std::string before, after;
  const report* b = nullptr;
};
constexpr answer_format<compared_files> diff_formats[] = {
    {"text", [](const compared_files& c, const answer_look& how) { return to_text(c.what, how.paint, how.all); }},
    {"json", [](const compared_files& c, const answer_look&) { return to_json(c.what, c.before, c.after); }},
    {"html", [](const compared_files& c, const answer_look&) { return to_html(c.what, c.before, c.after); }},
    {"csv", [](const compared_files& c, const answer_look&) { return to_csv(c.what); }},
    {"markdown", [](const compared_files& c, const answer_look&) { return to_markdown(c.what, *c.b); }},
};

// Reads the two reports that the command line names.
result<std::vector<commit_report>> read_files(const arguments& args) {
  if (args.has("build"))
    return diagnostic{"--build is only for --commits", {}, "bankwise diff --commits A B --build make -- ./app"};
  if (args.positional.size() != 2 || !args.of_program.empty())
    return diagnostic{"bankwise diff needs two reports",
                      {},
                      "usage: bankwise diff before.json after.json. bankwise run --format json writes a report"};
  std::vector<commit_report> both;
  for (const std::string& file : args.positional) {
    auto r = load_report(file);
    if (!r) return r.error();
    both.push_back({file, std::move(*r)});
  }
  return both;
}

// Makes the reports of the two commits that the command line names: A B, A..B, or A and the working tree.
result<std::vector<commit_report>> read_commits(const arguments& args) {
  const std::string usage = "usage: bankwise diff --commits A B --build make -- ./app ARGUMENTS";
  if (args.positional.size() > 1)
    return diagnostic{formatted("--commits compares two commits, but the command line also has {}", args.positional[1]),
                      {},
                      formatted("write -- before the program. {}", usage)};
  if (args.of_program.empty()) return diagnostic{"--commits needs the program to run", {}, usage};
  commit_question q{*args.value("commits"), {}, args.value("build").value_or(""), args.of_program};
  if (!args.positional.empty()) q.after = args.positional[0];
  if (const std::size_t dots = q.before.find(".."); dots != std::string::npos && q.after.empty()) {
    q.after = q.before.substr(dots + 2);
    q.before.resize(dots);
    if (q.after.starts_with('.'))
      return diagnostic{"--commits: A...B is not a pair of commits for bankwise",
                        {},
                        "$(git merge-base A B) is the commit before both. A..B compares A with B"};
    // As in git, an empty side is HEAD.
    for (std::string* side : {&q.before, &q.after})
      if (side->empty()) *side = "HEAD";
  }
  if (q.before.empty()) return diagnostic{"--commits needs a commit", {}, usage};
  auto both = reports_of_commits(q);
  if (!both) return both;
  tell(formatted("A is {}, and B is {}", (*both)[0].name, (*both)[1].name));
  return both;
}

}  // namespace

result<int> diff(const arguments& args) {
  const auto format = asked_format(args, diff_formats);
  if (!format) return format.error();
  const auto fail_on = choice(args, "fail-on", "never", {"more", "never"});
  if (!fail_on) return fail_on.error();
  const auto sides = args.has("commits") ? read_commits(args) : read_files(args);
  if (const auto signal = stop_signal().load(); !sides && signal != 0) {
    tell(sides.error().message);
    return exit_of(static_cast<int>(signal));
  }
  if (!sides) return sides.error();
  const commit_report &a = (*sides)[0], &b = (*sides)[1];
  const compared_files compared = {check::diff_of(a.what, b.what), a.name, b.name, &b.what};
  const check::report_diff& d = compared.what;
  const auto written = write_answer(args, **format, compared);
  if (!written) return written.error();
  for (const bool is_a : {true, false})
    if (const std::string& failure = is_a ? d.failure_a : d.failure_b; !failure.empty())
      return diagnostic{formatted("{} did not run to its end: {}", is_a ? compared.before : compared.after, failure),
                        {},
                        "correct the program, and make its report again"};
  if (*fail_on == "more" && (d.partial_a || d.partial_b))
    return diagnostic{
        formatted("--fail-on more: {} is partial ({}), so it cannot show whether the cost grew",
                  d.partial_a ? compared.before : compared.after, words_of(d.partial_a ? d.partial_a : d.partial_b)),
        {},
        "make the report again, and do not stop the run"};
  const std::uint64_t apart = check::plus(d.a[measure::removable].apart, d.b[measure::removable].apart);
  const std::uint64_t before = d.a[measure::removable].is, after = d.b[measure::removable].is;
  const std::uint64_t more = after - std::min(after, before), fewer = before - std::min(before, after);
  if (*fail_on == "more" && apart != 0 && more <= apart && fewer < apart)
    return diagnostic{
        formatted("--fail-on more: the reports are estimates with an error of up to {} removable wavefronts, so they "
                  "cannot show whether the cost grew",
                  grouped(apart)),
        {},
        "make the reports again without --time and --ctas"};
  const std::uint64_t excess_before = d.a[measure::excess_sectors].is, excess_after = d.b[measure::excess_sectors].is;
  const std::uint64_t sectors_apart =
      check::plus(d.a[measure::excess_sectors].apart, d.b[measure::excess_sectors].apart);
  if (*fail_on == "more" && more == 0 && excess_after > excess_before && excess_after - excess_before <= sectors_apart)
    return diagnostic{
        "--fail-on more: the reports are estimates, so they cannot show whether there are more excess sectors",
        {},
        "make the reports again without --time and --ctas"};
  return *fail_on == "more" && (more != 0 || excess_after > excess_before) ? exit_findings : exit_clean;
}

result<int> merge(const arguments& args) {
  if (args.positional.empty())
    return diagnostic{"bankwise merge needs reports", {}, "bankwise merge a.json b.json -o both.json"};
  if (is_tuned_file(args.positional[0])) {
    const auto tuned = merge_tuned_files(args.positional);
    if (!tuned) return tuned.error();
    const auto written = write_file(args.value("output").value_or(""), tune::to_json(*tuned));
    return written ? result<int>(exit_clean) : written.error();
  }
  std::vector<named_report> reports;
  for (const std::string& file : args.positional) {
    auto r = load_report(file);
    if (!r) return r.error();
    reports.push_back({file, std::move(*r)});
  }
  for (const named_report& r : reports)
    if (const early_end partial = early_end_of(r.what))
      tell(formatted("{} is partial ({}), so the merged report is also partial", r.name, words_of(partial)));
  const auto merged = merge_reports(std::move(reports));
  if (!merged) return merged.error();
  const auto written = write_file(args.value("output").value_or(""), to_json(*merged));
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
