#include "report/forms/markdown_text.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

std::string code_span(const std::string& text, std::size_t most) {
  if (trim(text).empty()) return "";
  const std::string code = shortened(std::string(trim(text)), most);
  std::string s;
  if (std::any_of(code.begin(), code.end(), [](char c) { return c == '\\' || static_cast<unsigned char>(c) < ' '; })) {
    for (const char c : code) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_word = byte >= 0x80 || std::isalnum(byte) != 0 || c == ' ';
      s += is_word ? std::string(1, c) : byte < ' ' ? " " : formatted("&#{};", byte);
    }
    return formatted("<code>{}</code>", s);
  }
  std::size_t run = 0, longest = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    s += c == '|' ? "\\|" : std::string(1, c);
  }
  const std::string fence(longest + 1, '`');
  return longest == 0 ? fence + s + fence : formatted("{} {} {}", fence, s, fence);
}

std::string escaped_sentence(const std::string& text) {
  constexpr std::string_view markup = "\\`*_[]<>|&~#@$!";
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]));
  };
  std::string s;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // An underscore inside a word is not markup.
    const bool is_plain =
        markup.find(text[i]) == markup.npos || (byte == '_' && i != 0 && is_word(i - 1) && is_word(i + 1));
    s += byte < ' ' ? " " : is_plain ? std::string(1, text[i]) : formatted("&#{};", byte);
  }
  return s;
}

std::string plain_or_code(const std::string& name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ' ' || c == '-';
  });
  return is_plain ? name : code_span(name);
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) row += formatted("| {}{}", cell, cell.empty() ? "" : " ");
  return formatted("{}|\n", row);
}

}  // namespace bankwise
