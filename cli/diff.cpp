#include "check/diff.hpp"
#include "base/files.hpp"
#include "rendering.hpp"
#include "report/diff_report.hpp"
#include "report/merge_reports.hpp"
#include "report/read_report.hpp"
#include "report/run_report.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

result<report> load_report(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return read_report(*text, file);
}

result<int> diff(const arguments& args) {
  const auto format = choice(args, "format", "text", {"text", "json", "csv"});
  if (!format) return format.error();
  const auto fail_on = choice(args, "fail-on", "never", {"more", "never"});
  if (!fail_on) return fail_on.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  if (args.positional.size() != 2)
    return diagnostic{
        "expected two reports", {}, "bankwise diff before.json after.json; --format json of run writes them"};
  const auto a = load_report(args.positional[0]);
  if (!a) return a.error();
  const auto b = load_report(args.positional[1]);
  if (!b) return b.error();
  const check::report_diff d = check::diff_of(*a, *b);
  const auto written = write_file(args.value("output").value_or(""),
                                  *format == "json"  ? to_json(d, args.positional[0], args.positional[1])
                                  : *format == "csv" ? to_csv(d)
                                                     : to_text(d, *look, args.has("all")));
  if (!written) return written.error();
  return *fail_on == "more" && d.b.removable > d.a.removable ? exit_findings : exit_clean;
}

result<int> merge(const arguments& args) {
  if (args.positional.empty()) return diagnostic{"expected reports", {}, "bankwise merge a.json b.json -o both.json"};
  std::vector<named_report> reports;
  for (const std::string& file : args.positional) {
    auto r = load_report(file);
    if (!r) return r.error();
    reports.push_back({file, std::move(*r)});
  }
  const auto merged = merge_reports(std::move(reports));
  if (!merged) return merged.error();
  const auto written = write_file(args.value("output").value_or(""), to_json(*merged));
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
