// bankwise explain: one access, with every reason for what it costs.
#include <cstdio>

#include "base/files.hpp"
#include "expr/question.hpp"
#include "expr/question_words.hpp"
#include "output.hpp"
#include "report/access_code.hpp"
#include "report/access_report.hpp"
#include "report/page.hpp"
#include "report/picture.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace {

result<int> write_result(const arguments& args, const std::string& text) {
  const auto written = write_file(args.value("output").value_or(""), text);
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace

result<int> explain(const arguments& args) {
  const auto format = output_format(args, "text", {"text", "json", "svg", "html", "cpp"});
  if (!format) return format.error();
  const bool page = *format == "html" || args.has("html");
  if (page)
    if (const auto refused = refuse_terminal(args, "explorer.html")) return *refused;
  // Without a question the explorer shows its first example: a page to host.
  if (page && args.positional.empty() && !args.has("addresses")) return write_result(args, explorer_page({}));
  if (args.positional.size() > 1)
    return diagnostic{"more than one expression", {}, "quote it: bankwise explain '(t % 8) * 128'"};
  if (args.positional.empty() == !args.has("addresses"))
    return diagnostic{"expected one expression, one list of addresses, or --addresses FILE",
                      {},
                      "bankwise explain 't * 132', bankwise explain '0,128,256', bankwise explain --help"};
  const bool from_file = args.has("addresses");
  std::string text = from_file ? "" : args.positional[0];
  result<named_access> q = diagnostic{};
  if (from_file) {
    const std::string path = *args.value("addresses");
    auto contents = read_file(path);
    if (!contents) return contents.error();
    text = std::move(*contents);
    q = read_address_question(args, text, path == "-" ? "standard input" : path);
  } else {
    q = read_question(args, text);
  }
  if (!q) return q.error();
  for (const std::string& note : q->notes) std::fprintf(stderr, "bankwise: note: %s\n", note.c_str());
  if (page) return write_result(args, explorer_page(question_words(args, text, from_file)));

  const access_report report = report_access(*q);
  if (*format == "json") return write_result(args, to_json(report));
  if (*format == "svg") return write_result(args, to_svg(draw(report), report, svg_form::file));
  if (*format == "cpp") return write_result(args, to_cpp(report));
  const auto look = output_style(args);
  if (!look) return look.error();
  return write_result(args, to_text(report, *look, args.has("all")));
}

}  // namespace bankwise::cli
