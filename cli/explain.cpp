#include <cstdio>

#include "expr/question.hpp"
#include "files.hpp"
#include "report/access_code.hpp"
#include "report/access_report.hpp"
#include "report/picture.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

result<int> explain(const arguments& args) {
  const auto format = choice(args, "format", "text", {"text", "json", "svg", "cpp"});
  if (!format) return format.error();
  if (args.positional.size() > 1)
    return diagnostic{"more than one expression", {}, "quote it: bankwise explain '(t % 8) * 128'"};
  if (args.positional.empty() == !args.has("addresses"))
    return diagnostic{"expected one expression, one list of addresses, or --addresses FILE",
                      {},
                      "bankwise explain 't * 132', bankwise explain '0,128,256', bankwise explain --help"};
  result<question> q = diagnostic{};
  if (args.has("addresses")) {
    const std::string path = *args.value("addresses");
    const auto text = read_file(path);
    if (!text) return text.error();
    q = read_address_question(args, *text, path == "-" ? "standard input" : path);
  } else {
    q = read_question(args, args.positional[0]);
  }
  if (!q) return q.error();
  for (const std::string& note : q->notes) std::fprintf(stderr, "bankwise: note: %s\n", note.c_str());

  const access_report report = report_access(*q);
  const auto look = output_style(args);
  if (!look) return look.error();
  const std::string text = *format == "json"  ? to_json(report)
                           : *format == "svg" ? to_svg(draw(report), report, svg_form::file)
                           : *format == "cpp" ? to_cpp(report)
                                              : to_text(report, *look, args.has("all"));
  const auto written = write_file(args.value("output").value_or(""), text);
  if (!written) return written.error();
  return exit_clean;
}

}  // namespace bankwise::cli
