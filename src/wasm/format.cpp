// The page's implementation of formatted(), which is much smaller than fmt. This file implements the patterns that the
// compile-time check allows: {}, {:>8}, {:<8}, {:^8}, {:04} and {:#x}.
#include "base/format.hpp"

namespace bankwise::format_detail {

namespace {

std::string digits_of(const value& v, bool hexadecimal, bool prefix) {
  const bool negative = v.is == value::form::whole && static_cast<std::int64_t>(v.as_number) < 0;
  std::uint64_t rest = negative ? 0 - v.as_number : v.as_number;
  const unsigned base = hexadecimal ? 16 : 10;
  std::string text;
  do text.insert(text.begin(), "0123456789abcdef"[rest % base]);
  while ((rest /= base) != 0);
  if (prefix && hexadecimal) text.insert(0, "0x");
  return negative ? "-" + text : text;
}

// Formats a value by its specification, such as ">8" or "#x".
std::string one(const value& v, std::string_view spec) {
  char align = '\0';
  bool prefix = false, zeros = false, hexadecimal = false;
  std::size_t width = 0;
  for (const char c : spec) {
    if (c == '<' || c == '>' || c == '^') align = c;
    if (c == '#') prefix = true;
    if (c == 'x') hexadecimal = true;
    if (c == '0' && width == 0) zeros = true;
    if (c >= '0' && c <= '9') width = 10 * width + static_cast<std::size_t>(c - '0');
  }
  const bool is_text = v.is == value::form::text || v.is == value::form::character;
  std::string text = v.is == value::form::text        ? std::string(v.as_text)
                     : v.is == value::form::character ? std::string(1, static_cast<char>(v.as_number))
                                                      : digits_of(v, hexadecimal, prefix);
  if (text.size() >= width) return text;
  const std::size_t room = width - text.size();
  if (zeros && align == '\0' && !is_text)
    return text.insert((text[0] == '-' ? 1 : 0) + (prefix && hexadecimal ? 2 : 0), room, '0');
  const std::size_t before = align == '^' ? room / 2 : align == '>' || (align == '\0' && !is_text) ? room : 0;
  return std::string(before, ' ') + text + std::string(room - before, ' ');
}

}  // namespace

std::string join(std::string_view pattern, const value* values, std::size_t) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c != '{' && c != '}') || pattern[i + 1] == c) {
      if (c == '{' || c == '}') ++i;
      text += c;
      continue;
    }
    const std::size_t end = pattern.find('}', i);
    const std::string_view spec = pattern.substr(i + 1, end - i - 1);
    text += one(*values++, spec.empty() ? spec : spec.substr(1));
    i = end;
  }
  return text;
}

}  // namespace bankwise::format_detail
