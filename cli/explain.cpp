// bankwise explain: explains one access, with every reason for its cost.
#include <cstdio>

#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/line/output.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "expr/names/question_words.hpp"
#include "expr/question.hpp"
#include "report/forms/access_code.hpp"
#include "report/page/page.hpp"
#include "report/picture/card.hpp"
#include "report/picture/picture.hpp"
#include "report/text/access_report.hpp"

namespace bankwise::cli {

namespace {

result<int> write_result(const arguments& args, const std::string& text) {
  const auto written = write_file(args.value("output").value_or(""), text);
  return written ? result<int>(exit_clean) : written.error();
}

// The question, and for a card the same question without its padding and swizzle.
struct explained_access {
  access_report r;
  card to_send;
};
constexpr answer_format<explained_access> explain_formats[] = {
    {"text", [](const explained_access& a, const answer_look& how) { return to_text(a.r, how.paint, how.all); }},
    {"json", [](const explained_access& a, const answer_look&) { return to_json(a.r); }},
    {"svg", [](const explained_access& a, const answer_look&) { return to_svg(draw(a.r), a.r, svg_form::file); }},
    {"html", nullptr},  // a page with the question, which computes the answer itself
    {"cpp", [](const explained_access& a, const answer_look&) { return to_cpp(a.r); }},
    {"card", [](const explained_access& a, const answer_look&) { return to_svg(a.to_send, card_form::still); }},
    {"loop", [](const explained_access& a, const answer_look&) { return to_svg(a.to_send, card_form::loop); }},
};

}  // namespace

result<int> explain(const arguments& args) {
  const auto format = asked_format(args, explain_formats);
  if (!format) return format.error();
  const bool page = (*format)->name == "html" || args.has("html");
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
  std::string text = from_file ? "" : args.positional[0], file;
  if (from_file) {
    const std::string path = *args.value("addresses");
    auto contents = read_file(path);
    if (!contents) return contents.error();
    text = std::move(*contents);
    file = path == "-" ? "standard input" : path;
  }
  auto q = read_question(args, text, file);  // of a file: a list
  if (!q) return q.error();
  for (const std::string& note : q->notes) tell("note: " + note);
  if (page) return write_result(args, explorer_page(question_words(args, text, from_file)));

  explained_access a{report_access(std::move(*q)), {}};
  auto to_send = read_card(args, a.r, text, file,
                           file.empty() ? command_line(args, text) : "bankwise explain --addresses " + file);
  if (!to_send) return to_send.error();
  a.to_send = std::move(*to_send);
  const auto written = write_answer(args, **format, a);
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace bankwise::cli
