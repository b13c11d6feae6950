#include "base/toml_trap.hpp"

#include <cstdint>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

std::optional<diagnostic> find_toml_trap(std::string_view text, const std::string& name, const std::string& hint) {
  std::uint32_t number = 0;
  for (std::string_view line : split(without_mark(text), '\n')) {
    ++number;
    // The quotation mark of the open string, or 0. Also, the last character that is not blank.
    char quote = '\0', before = '=';
    std::size_t equals = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const location here{.file = name, .line = number, .column = static_cast<std::uint32_t>(i + 1)};
      if (quote == '"' && c == '\\') {
        ++i;
      } else if (quote != '\0') {
        if (c == quote) quote = '\0';
        before = c;
      } else if (c == '#') {
        break;
      } else if (c == '{' || (c == '=' && equals++ != 0)) {
        return diagnostic{"write one key on each line, without braces", here, hint};
      } else if (c == '"' || c == '\'' || c == '[') {
        if (std::string_view("=[,").find(before) == std::string_view::npos)
          return diagnostic{formatted("not valid TOML: a word without quotes contains {}", c), here};
        if (c != '[' && line.substr(i).starts_with(std::string(3, c)))
          return diagnostic{"a string of several lines is not supported here", here, "write one line in double quotes"};
        if (c != '[') quote = c;
        before = c;
      } else if ((static_cast<unsigned char>(c) & 0x80) != 0) {
        return diagnostic{"not valid TOML: a non-ASCII character is outside of quotes", here};
      } else if (c != ' ' && c != '\t') {
        before = c;
      }
    }
    if (quote != '\0')
      return diagnostic{"not valid TOML: a quote opens on this line and is never closed",
                        {.file = name, .line = number, .column = 1}};
  }
  return std::nullopt;
}

}  // namespace bankwise
