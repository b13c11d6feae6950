// bankwise compare: a report beside what Nsight Compute counted.
#include "base/files.hpp"
#include "check/comparison.hpp"
#include "output.hpp"
#include "report/comparison_report.hpp"
#include "saved_report.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

result<int> compare(const arguments& args) {
  const auto format = output_format(args, "text", {"text", "json"});
  if (!format) return format.error();
  const auto fail_on = choice(args, "fail-on", "never", {"different", "never"});
  if (!fail_on) return fail_on.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  if (args.positional.size() != 2)
    return diagnostic{"expected a report and what Nsight Compute counted",
                      {},
                      "bankwise compare report.json ncu.csv; ncu --import r.ncu-rep --page source --csv writes that"};
  const auto r = load_whole_report(args.positional[0]);
  if (!r) return r.error();
  const auto text = read_file(args.positional[1]);
  if (!text) return text.error();
  const auto measured = check::read_measured(*text, args.positional[1]);
  if (!measured) return measured.error();
  const check::comparison c = check::compare(*r, *measured);
  const auto written = write_file(args.value("output").value_or(""),
                                  *format == "json" ? to_json(c) : to_text(c, *look, args.has("all")));
  if (!written) return written.error();
  return *fail_on == "different" && (c.different != 0 || c.equal == 0) ? exit_findings : exit_clean;
}

}  // namespace bankwise::cli
