#include "cli/line/help/help.hpp"

#include <algorithm>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "cli/line/flags.hpp"
#include "cli/line/terminal.hpp"
#include "report/table/text_table.hpp"

namespace bankwise::cli {

namespace {

constexpr unsigned width_without_terminal = 100;

constexpr std::string_view purpose =
    "bankwise " BANKWISE_VERSION ": prints what every shared-memory access of a CUDA kernel costs, and why\n\n";

// The verbs of short_overview(), in the order in which a new user needs them, with a short description.
struct first_verb {
  std::string_view name, example;
};
constexpr first_verb first_verbs[] = {
    {"run", "bankwise run app.cu"},
    {"fix", "bankwise fix --apply app.cu"},
    {"check", "bankwise check"},
    {"diff", "bankwise diff before.json after.json"},
    {"explain", "bankwise explain --array 'float tile[32][32]' 'tile[t][0]'"},
    {"rule", "bankwise rule BW101"},
};

// Breaks a text into lines, and indents each line by `indent` columns.
std::string in_column(std::string_view text, std::size_t indent, std::size_t width) {
  std::string s;
  const std::size_t room = std::max<std::size_t>(width > indent ? width - indent : 0, 16);
  while (text.size() > room) {
    std::size_t cut = text.rfind(' ', room);
    if (cut == text.npos) cut = text.find(' ');
    if (cut == text.npos) break;
    s += formatted("{}\n{}", text.substr(0, cut), std::string(indent, ' '));
    text.remove_prefix(cut + 1);
  }
  return formatted("{}{}\n", s, text);
}

}  // namespace

std::string short_overview() {
  std::string s(purpose);
  const std::size_t width = output_width().value_or(width_without_terminal);
  for (const first_verb& first : first_verbs)
    s += formatted("  {}\n      {}", first.example, in_column(find_verb(first.name)->summary, 6, width));
  return formatted("{}\nbankwise --help lists all verbs, and bankwise VERB --help the flags of a verb.\n", s);
}

std::string overview() {
  std::string s(purpose);
  const auto synopsis = [](const verb& v) { return formatted("{} {}", v.name, v.usage); };
  std::size_t width = 0;
  for (const verb& v : verbs()) width = std::max(width, synopsis(v).size() + 2);
  for (const verb& v : verbs()) s += formatted("  bankwise {}{}\n", pad_right(synopsis(v), width), v.summary);
  s += "\nexamples\n";
  for (const verb& v : verbs()) s += formatted("  {}\n", v.example);
  return formatted(
      "{}\nbankwise VERB --help lists the flags of a verb. bankwise --version prints the version, --man prints the "
      "manual\npage, and --completion bash|zsh|fish prints a completion script.\n"
      "Exit status: 0 if bankwise ran, 1 if it has findings (--fail-on), 2 if it could not run.\n",
      s);
}

std::string details_of(const verb& v, std::size_t width) {
  std::string s;
  for (const std::string_view line : split(v.details, '\n'))
    s += line.starts_with(' ') ? formatted("{}\n", line) : in_column(line, 0, width);
  s.pop_back();
  return s;
}

std::string help_of(const verb& v) {
  constexpr std::size_t column = 24;
  const std::size_t width = output_width().value_or(width_without_terminal);
  std::string s = wrapped(formatted("bankwise {} {}\n  {}\n\n", v.name, v.usage, v.summary), width);
  if (!v.details.empty()) s += formatted("{}\n\n", details_of(v, width));
  for (const flag_group& g : groups_of(v.name)) {
    if (!g.title.empty()) s += formatted("{}\n", g.title);
    for (const flag* f : g.flags) {
      const std::string left = formatted("  {}{}", f->name, f->value.empty() ? "" : formatted(" {}", f->value));
      s += left.size() < column ? pad_right(left, column) : formatted("{}\n{}", left, std::string(column, ' '));
      s += in_column(std::string(f->help) + (f->count == arity::many ? " (repeatable)" : ""), column, width);
    }
    if (!g.title.empty()) s += "\n";
  }
  if (!s.ends_with("\n\n")) s += "\n";
  return formatted("{}example\n  {}\n", s, v.example);
}

}  // namespace bankwise::cli
