// The file and format of a result, for all verbs with -o.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "cli/line/arguments.hpp"
#include "cli/line/terminal.hpp"

namespace bankwise::cli {

// The format: --format; otherwise that of the -o file's ending (report.json), if it is one of `words`; otherwise
// `otherwise`.
result<std::string> output_format(const arguments& args, std::string_view otherwise,
                                  const std::vector<std::string>& words);

// Prints text and tables for users, with names that may come from outside: control characters are escaped, except for
// our own colours.
inline std::string plain(const std::string& text, const style& paint = {}) {
  return printable_lines(text, paint.color ? colors::kept : colors::none);
}
inline result<done> write_plain(const std::string& file, const std::string& text, const style& paint = {}) {
  return write_file(file, plain(text, paint));
}
// The same if the format needs it: pages, pictures, code and the formats of other tools escape their own contents.
inline std::string in_form(std::string_view format, const std::string& text, const style& paint) {
  return format == "text" || format == "csv" || format == "markdown" ? plain(text, paint) : text;
}

// How an answer is printed as text.
struct answer_look {
  style paint;
  bool all = false;
};
// A format for the answer of a verb. Verbs have a table of formats; the first is the default.
template <class Answer>
struct answer_format {
  std::string_view name;
  std::string (*write)(const Answer& a, const answer_look& how);
};
template <class Answer, std::size_t n>
result<const answer_format<Answer>*> asked_format(const arguments& args, const answer_format<Answer> (&table)[n]) {
  std::vector<std::string> names;
  for (const answer_format<Answer>& f : table) names.emplace_back(f.name);
  const auto name = output_format(args, names.front(), names);
  if (!name) return name.error();
  for (const answer_format<Answer>& f : table)
    if (f.name == *name) return &f;
  return &table[0];
}
// Writes the answer in this format, to the -o file.
template <class Answer>
result<done> write_answer(const arguments& args, const answer_format<Answer>& format, const Answer& a) {
  const auto paint = output_style(args);
  if (!paint) return paint.error();
  return write_file(args.value("output").value_or(""),
                    in_form(format.name, format.write(a, {*paint, args.has("all")}), *paint));
}

// The reason why the file of -o or --dump cannot be written. It is found before a program runs for hours. An
// input file is also refused.
std::optional<diagnostic> refuse_outputs(const arguments& args);

}  // namespace bankwise::cli
