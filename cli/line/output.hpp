// The output file and format of all verbs with -o.
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

// Returns the value of --format. Without --format, returns the file extension of -o, such as json, if `words` contains
// it. In all other cases, returns `otherwise`.
result<std::string> output_format(const arguments& args, std::string_view otherwise,
                                  const std::vector<std::string>& words);

// Prepares a text for users. Names in the text may come from outside, so control characters are escaped. Only the
// control characters of bankwise's own colours stay.
inline std::string plain(const std::string& text, const style& paint = {}) {
  return printable_lines(text, paint.color ? colors::kept : colors::none);
}
inline result<done> write_plain(const std::string& file, const std::string& text, const style& paint = {}) {
  return write_file(file, plain(text, paint));
}
// Prepares a text in this format. Pages, pictures, code and formats of other tools are not changed, because they escape
// their contents themselves.
inline std::string in_form(std::string_view format, const std::string& text, const style& paint) {
  return format == "text" || format == "csv" || format == "markdown" ? plain(text, paint) : text;
}

// The style of an answer that is printed as text.
struct answer_look {
  style paint;
  bool all = false;
};
// A format for the answer of a verb. Each verb has a table of formats. The first format is the default.
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
// Writes the answer in this format to the file of -o.
template <class Answer>
result<done> write_answer(const arguments& args, const answer_format<Answer>& format, const Answer& a) {
  const auto paint = output_style(args);
  if (!paint) return paint.error();
  return write_file(args.value("output").value_or(""),
                    in_form(format.name, format.write(a, {*paint, args.has("all")}), *paint));
}

// Returns an error if the file of -o or --dump cannot be written, or if it is an input file. Call this before the
// program runs, because programs may run for hours.
std::optional<diagnostic> refuse_outputs(const arguments& args);

}  // namespace bankwise::cli
