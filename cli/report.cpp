#include "base/files.hpp"
#include "rendering.hpp"
#include "report/kind_page.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

result<int> render_report(const arguments& args) {
  const auto format = asked_format(args);
  if (!format) return format.error();
  if (args.positional.size() != 1)
    return diagnostic{"expected one report", {}, "bankwise run --format json -o report.json writes one"};
  if (*format == "html")
    if (const auto refused = refuse_terminal(args, "report.html")) return *refused;
  const std::string& file = args.positional[0];
  const auto r = load_report(file);
  if (!r) return r.error();
  const auto status = status_of(args, *r);
  if (!status) return status.error();
  source_files sources(args, file);
  const auto out = render(args, *format, *r, {}, sources, file);
  if (!out) return out.error();
  const auto written = write_file(args.value("output").value_or(""), *out);
  if (!written) return written.error();
  return *status;
}

result<int> rule(const arguments& args) {
  const auto format = choice(args, "format", "text", {"text", "markdown"});
  if (!format) return format.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  if (args.positional.size() > 1) return diagnostic{"expected at most one rule"};
  std::string text;
  if (args.positional.empty()) {
    text = *format == "markdown" ? kinds_document() : kind_list(*look);
  } else {
    const check::finding_kind* r = check::find_kind(args.positional[0]);
    if (r == nullptr) return diagnostic{"there is no rule " + args.positional[0], {}, "bankwise rule lists them"};
    text = *format == "markdown" ? kind_markdown(*r) : kind_text(*r, *look);
  }
  const auto written = write_file("", text);
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
