// bankwise explain: shows the cost of one access and all reasons for it.
#include <cstdio>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/line/output.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "expr/global_question.hpp"
#include "expr/published.hpp"
#include "expr/question.hpp"
#include "expr/question_words.hpp"
#include "report/forms/access_code.hpp"
#include "report/page/page.hpp"
#include "report/picture/access_report.hpp"
#include "report/picture/card.hpp"
#include "report/picture/picture.hpp"
#include "report/sectors/sector_picture.hpp"
#include "report/sectors/sector_report.hpp"

namespace bankwise::cli {

namespace {

result<int> write_result(const arguments& args, const std::string& text) {
  const auto written = write_file(args.value("output").value_or(""), text);
  return written ? result<int>(exit_clean) : written.error();
}

// An answer of `explain`, and the card with the answer.
struct explained_access {
  access_report r;
  card to_send;
};
constexpr answer_format<explained_access> explain_formats[] = {
    {"text", [](const explained_access& a, const answer_look& how) { return to_text(a.r, how.paint, how.all); }},
    {"json", [](const explained_access& a, const answer_look&) { return to_json(a.r); }},
    {"svg", [](const explained_access& a, const answer_look&) { return to_svg(draw(a.r), a.r, svg_form::file); }},
    {"html", nullptr},  // a page has only the question, and computes the answer itself
    {"cpp", [](const explained_access& a, const answer_look&) { return to_cpp(a.r); }},
    {"card", [](const explained_access& a, const answer_look&) { return to_svg(a.to_send, card_form::still); }},
    {"loop", [](const explained_access& a, const answer_look&) { return to_svg(a.to_send, card_form::loop); }},
};

constexpr answer_format<sector_report> global_formats[] = {
    {"text", [](const sector_report& r, const answer_look& how) { return to_text(r, how.paint, how.all); }},
    {"json", [](const sector_report& r, const answer_look&) { return to_json(r); }},
    {"svg", [](const sector_report& r, const answer_look&) { return to_svg(draw_sectors(r), r, svg_form::file); }},
    {"html", nullptr},
    {"cpp", [](const sector_report& r, const answer_look&) { return to_cpp(r); }},
};

struct asked_text {
  std::string text, file;  // an expression; or the contents of `file`, if `file` is not empty
  bool from_file = false;
};

result<asked_text> read_text(const arguments& args) {
  if (args.positional.size() > 1)
    return diagnostic{"bankwise explain takes only one expression",
                      {},
                      "put the expression in quotes: bankwise explain '(t % 8) * 128'"};
  if (args.positional.empty() == !args.has("addresses"))
    return diagnostic{"bankwise explain needs one expression, one list of addresses, or --addresses FILE",
                      {},
                      "examples: bankwise explain 't * 132', bankwise explain '0,128,256'. See also bankwise explain "
                      "--help"};
  if (!args.has("addresses")) return asked_text{args.positional[0], ""};
  const std::string path = *args.value("addresses");
  auto contents = read_file(path);
  if (!contents) return contents.error();
  return asked_text{std::move(*contents), path == "-" ? "standard input" : path, true};
}

void tell_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) tell(formatted("note: {}", note));
}

result<int> explain_shared(const arguments& args, const answer_format<explained_access>& format, bool page) {
  const auto asked = read_text(args);
  if (!asked) return asked.error();
  auto q = read_question(args, asked->text, asked->file);  // if there is a file, the text is a list of addresses
  if (!q) return q.error();
  tell_notes(q->notes);
  if (page) return write_result(args, explorer_page(question_words(args, asked->text, asked->from_file)));

  explained_access a{report_access(std::move(*q)), {}};
  a.r.basis = basis_of(a.r.on, a.r.what.op);
  auto to_send = read_card(args, a.r, asked->text, asked->file,
                           asked->file.empty() ? command_line(args, asked->text)
                                               : formatted("bankwise explain --addresses {}", asked->file));
  if (!to_send) return to_send.error();
  a.to_send = std::move(*to_send);
  const auto written = write_answer(args, format, a);
  return written ? result<int>(exit_clean) : written.error();
}

result<int> explain_global(const arguments& args, const answer_format<sector_report>& format, bool page) {
  const auto asked = read_text(args);
  if (!asked) return asked.error();
  auto q = read_global_question(args, asked->text, asked->file);
  if (!q) return q.error();
  tell_notes(q->notes);
  if (page) return write_result(args, explorer_page(question_words(args, asked->text, asked->from_file)));
  const auto written = write_answer(args, format, report_sectors(args, asked->text, asked->file, std::move(*q)));
  return written ? result<int>(exit_clean) : written.error();
}

}  // namespace

result<int> explain(const arguments& args) {
  const auto memory = read_memory(args);
  if (!memory) return memory.error();
  const auto shared = asked_format(args, explain_formats);
  const bool is_global = *memory == asked_memory::global;
  const auto global =
      is_global ? asked_format(args, global_formats) : result<const answer_format<sector_report>*>(&global_formats[0]);
  if (!is_global && !shared) return shared.error();
  if (!global) return global.error();
  const bool page = (is_global ? (*global)->name : (*shared)->name) == "html" || args.has("html");
  if (page)
    if (const auto refused = refuse_terminal(args, "explorer.html")) return *refused;
  // Without an access, the page is the explorer with its first example. Such a page can be put on a web server.
  if (page && args.positional.empty() && !args.has("addresses")) return write_result(args, explorer_page({}));
  return is_global ? explain_global(args, **global, page) : explain_shared(args, **shared, page);
}

}  // namespace bankwise::cli
