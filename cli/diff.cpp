// bankwise diff and merge: compare two reports, and join reports.
#include "check/diff.hpp"
#include "base/format.hpp"
#include "base/printable.hpp"
#include "check/saturate.hpp"

#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/input/saved_report.hpp"
#include "cli/line/output.hpp"
#include "cli/line/verbs.hpp"
#include "model/merge_reports.hpp"
#include "report/forms/diff_comment.hpp"
#include "report/json/write_report.hpp"
#include "report/page/page.hpp"
#include "report/text/diff_report.hpp"
#include "report/text/run_report.hpp"

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

}  // namespace

result<int> diff(const arguments& args) {
  const auto format = asked_format(args, diff_formats);
  if (!format) return format.error();
  const auto fail_on = choice(args, "fail-on", "never", {"more", "never"});
  if (!fail_on) return fail_on.error();
  if (args.positional.size() != 2)
    return diagnostic{"bankwise diff needs two reports",
                      {},
                      "usage: bankwise diff before.json after.json. bankwise run --format json writes a report"};
  const auto a = load_report(args.positional[0]);
  if (!a) return a.error();
  const auto b = load_report(args.positional[1]);
  if (!b) return b.error();
  const compared_files compared = {check::diff_of(*a, *b), args.positional[0], args.positional[1], &*b};
  const check::report_diff& d = compared.what;
  const auto written = write_answer(args, **format, compared);
  if (!written) return written.error();
  if (*fail_on == "more" && (d.partial_a || d.partial_b))
    return diagnostic{
        formatted("--fail-on more: {} is partial ({}), so it cannot show whether the cost grew",
                  args.positional[d.partial_a ? 0 : 1], words_of(d.partial_a ? d.partial_a : d.partial_b)),
        {},
        "make the report again, and do not stop the run"};
  const std::uint64_t apart = check::plus(d.a.removable_apart, d.b.removable_apart);
  const std::uint64_t more = d.b.removable > d.a.removable ? d.b.removable - d.a.removable : 0;
  const std::uint64_t fewer = d.a.removable > d.b.removable ? d.a.removable - d.b.removable : 0;
  if (*fail_on == "more" && apart != 0 && more <= apart && fewer < apart)
    return diagnostic{
        formatted("--fail-on more: the reports are estimates with an error of up to {} removable wavefronts, so they "
                  "cannot show whether the cost grew",
                  grouped(apart)),
        {},
        "make the reports again without --time and --ctas"};
  const std::uint64_t excess_before = excess_sectors(d.a.global), excess_after = excess_sectors(d.b.global);
  const std::uint64_t sectors_apart = check::plus(d.a.excess_sectors_apart, d.b.excess_sectors_apart);
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
