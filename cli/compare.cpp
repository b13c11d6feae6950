// bankwise compare: compares a report with Nsight Compute's counts.
#include "base/system/files.hpp"
#include "check/comparison.hpp"
#include "cli/input/saved_report.hpp"
#include "cli/line/output.hpp"
#include "cli/line/verbs.hpp"
#include "report/text/comparison_report.hpp"

namespace bankwise::cli {

namespace {

constexpr answer_format<check::comparison> compare_formats[] = {
    {"text", [](const check::comparison& c, const answer_look& how) { return to_text(c, how.paint, how.all); }},
    {"json", [](const check::comparison& c, const answer_look&) { return to_json(c); }},
};

}  // namespace

result<int> compare(const arguments& args) {
  const auto format = asked_format(args, compare_formats);
  if (!format) return format.error();
  const auto fail_on = choice(args, "fail-on", "never", {"different", "never"});
  if (!fail_on) return fail_on.error();
  if (args.positional.size() != 2)
    return diagnostic{
        "bankwise compare needs a report and a CSV file from Nsight Compute",
        {},
        "usage: bankwise compare report.json ncu.csv. ncu --import r.ncu-rep --page source --csv writes the CSV file"};
  const auto r = load_whole_report(args.positional[0]);
  if (!r) return r.error();
  const auto text = read_file(args.positional[1]);
  if (!text) return text.error();
  const auto measured = check::read_measured(*text, args.positional[1]);
  if (!measured) return measured.error();
  const check::comparison c = check::compare(*r, *measured);
  const auto written = write_answer(args, **format, c);
  if (!written) return written.error();
  return *fail_on == "different" && (c.different != 0 || c.equal == 0) ? exit_findings : exit_clean;
}

}  // namespace bankwise::cli
