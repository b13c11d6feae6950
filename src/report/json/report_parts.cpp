#include "report/json/report_parts.hpp"

#include <algorithm>
#include <array>

namespace bankwise {

namespace {

constexpr std::string_view blanks = " \t\r\n", launches_key = "\"launches\"";

// Returns the position after the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; (at = text.find_first_of("\"\\", at)) != text.npos; at += 2)
    if (text[at] == '"') return at + 1;
  return text.size();
}

bool opens(char c) { return c == '[' || c == '{'; }
bool closes(char c) { return c == ']' || c == '}'; }

// Splits the list that begins at `at` into its values. Returns the position of the closing bracket, or the end of the
// text if the bracket is missing.
std::size_t cut_list(std::string_view text, std::size_t at, std::vector<std::string_view>& values) {
  std::size_t begin = at + 1, depth = 0;
  for (++at; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || closes(c))) {
      const std::string_view value = text.substr(begin, at - begin);
      const bool is_empty_list = closes(c) && values.empty() && value.find_first_not_of(blanks) == value.npos;
      if (!is_empty_list) values.push_back(value);
      begin = at + 1;
    }
    if (closes(c) && depth-- == 0) break;
    if (opens(c)) ++depth;
    ++at;
  }
  return at;
}

// Limits for the number of values. In memory, a value needs a few hundred bytes, even if its text is short. A text such
// as [[],[], ... would therefore need forty times its own size. The characters `of` begin or separate values. For each
// of these characters, a valid report has at least `bytes_of_one` bytes.
struct crowd {
  std::string_view of;
  std::size_t bytes_of_one;
};
constexpr crowd crowds[] = {{"[{", 8}, {",", 3}, {"\"", 4}};

}  // namespace

bool has_too_many_values(std::string_view text) {
  constexpr std::size_t some = 4096;
  std::array<std::size_t, 256> seen{};
  for (const char c : text) ++seen[static_cast<unsigned char>(c)];
  return std::any_of(std::begin(crowds), std::end(crowds), [&](const crowd& m) {
    std::size_t n = 0;
    for (const char c : m.of) n += seen[static_cast<unsigned char>(c)];
    return n > some + text.size() / m.bytes_of_one;
  });
}

report_parts parts_of(std::string_view text) {
  report_parts parts;
  std::size_t depth = 0, copied = 0;
  bool found = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c != '"') {
      if (opens(c)) ++depth;
      if (closes(c) && depth != 0) --depth;
      ++at;
      continue;
    }
    const std::size_t begin = at;
    at = end_of_string(text, at);
    if (depth != 1 || text.substr(begin, at - begin) != launches_key) continue;
    std::size_t next = text.find_first_not_of(blanks, at);
    if (next == text.npos || text[next] != ':') continue;
    next = text.find_first_not_of(blanks, next + 1);
    if (next == text.npos || text[next] != '[') continue;
    if (found) {
      parts.twice = true;
      break;
    }
    std::vector<std::string_view> values;
    const std::size_t end = cut_list(text, next, values);
    if (end >= text.size() || text[end] != ']') break;
    parts.launches = std::move(values);
    parts.rest = text.substr(0, next + 1);
    copied = end;
    at = end + 1;
    found = true;
  }
  parts.rest += text.substr(copied);
  return parts;
}

}  // namespace bankwise
