// bankwise report and rule: show a saved report, and explain a kind of finding.
#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/line/output.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "cli/present.hpp"
#include "cli/saved_report.hpp"
#include "report/forms/kind_page.hpp"

namespace bankwise::cli {

result<int> render_report(const arguments& args) {
  const auto how = read_report_request(args, report_goes::out);
  if (!how) return how.error();
  if (args.positional.size() != 1)
    return diagnostic{
        "bankwise report needs one report", {}, "bankwise run --format json -o report.json writes a report"};
  const std::string& file = args.positional[0];
  auto r = load_report(file);
  if (!r) return r.error();
  const auto status = status_of(*how, *r);
  if (!status) return status.error();
  source_files sources(args, file);
  name_for_readers(*how, *r, sources);
  const auto written = present(*how, *r, {}, sources, file);
  return written ? result<int>(*status) : written.error();
}

result<int> rule(const arguments& args) {
  const auto format = choice(args, "format", "text", {"text", "markdown"});
  if (!format) return format.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  if (args.positional.size() > 1) return diagnostic{"bankwise rule takes at most one finding, such as BW101"};
  std::string text;
  if (args.positional.empty()) {
    text = *format == "markdown" ? kinds_document() : kind_list(*look);
  } else {
    const check::finding_kind* r = check::find_kind(args.positional[0]);
    if (r == nullptr)
      return diagnostic{formatted("bankwise has no finding with the ID {}", args.positional[0]),
                        {},
                        "bankwise rule lists all findings"};
    text = *format == "markdown" ? kind_markdown(*r) : kind_text(*r, *look);
  }
  const auto written = write_file("", in_form(*format, text, *look));
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
