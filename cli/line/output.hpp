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

// Returns the value of --format. Without it, the file extension of -o (report.json) determines the format, if it is one
// of `words`. In all other cases, returns `otherwise`.
result<std::string> output_format(const arguments& args, std::string_view otherwise,
                                  const std::vector<std::string>& words);

// Prepares text and tables for users, which may contain names from outside. Escapes control characters, except those of
// our own colours.
inline std::string plain(const std::string& text, const style& paint = {}) {
  return printable_lines(text, paint.color ? colors::kept : colors::none);
}
inline result<done> write_plain(const std::string& file, const std::string& text, const style& paint = {}) {
  return write_file(file, plain(text, paint));
}
// Prepares text in a format. Pages, pictures, code and formats of other tools are not changed, because they escape
// their own contents.
inline std::string in_form(std::string_view format, const std::string& text, const style& paint) {
  return format == "text" || format == "csv" || format == "markdown" ? plain(text, paint) : text;
}

// How an answer is printed as text.
struct answer_look {
  style paint;
  bool all = false;
};
// A format for the answer of a verb. Each verb has a table of formats, of which the first is the default.
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
// Writes the answer in a format, to the file of -o.
template <class Answer>
result<done> write_answer(const arguments& args, const answer_format<Answer>& format, const Answer& a) {
  const auto paint = output_style(args);
  if (!paint) return paint.error();
  return write_file(args.value("output").value_or(""),
                    in_form(format.name, format.write(a, {*paint, args.has("all")}), *paint));
}

// Returns the reason if the file of -o or --dump cannot be written or is an input file. It is called before the program
// runs, because programs may run for hours.
std::optional<diagnostic> refuse_outputs(const arguments& args);

}  // namespace bankwise::cli
