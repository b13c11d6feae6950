// Splits C++ into tokens. An operator of several characters is one token if its parts have a different meaning.
#include "source/tokens.hpp"

#include <algorithm>

namespace bankwise::source {

namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool stands_in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_decimal(c) || c == '_'; }

constexpr std::string_view long_marks[] = {"<<=", ">>=", "...", "->", "::", "++", "--", "<<", ">>", "<=", ">=", "==",
                                           "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

// Returns the length of the string or character literal at `at`.
std::size_t literal_length(std::string_view s, std::size_t at) {
  const char quote = s[at];
  for (std::size_t i = at + 1; i < s.size() && s[i] != '\n'; ++i) {
    if (s[i] == '\\')
      ++i;
    else if (s[i] == quote)
      return i + 1 - at;
  }
  return std::min(s.find('\n', at), s.size()) - at;
}

// Returns the length of the raw string R"x(...)x" with its quotation mark at `at`.
std::size_t raw_length(std::string_view s, std::size_t at) {
  const std::size_t open = s.find('(', at);
  if (open == std::string_view::npos) return s.size() - at;
  std::string_view name = s.substr(at + 1, open - at - 1);
  for (std::size_t i = open; (i = s.find(')', i)) != std::string_view::npos; ++i)
    if (s.substr(i + 1, name.size()) == name && i + 1 + name.size() < s.size() && s[i + 1 + name.size()] == '"')
      return i + 2 + name.size() - at;
  return s.size() - at;
}

}  // namespace

std::vector<token> tokens_of(std::string_view s) {
  std::vector<token> tokens;
  std::uint32_t line = 1;
  bool directive = false, at_line_begin = true;
  for (std::size_t i = 0; i < s.size();) {
    const char c = s[i];
    if (c == '\n') {
      const bool goes_on = i > 0 && (s[i - 1] == '\\' || (s[i - 1] == '\r' && i > 1 && s[i - 2] == '\\'));
      if (!goes_on) directive = false;
      at_line_begin = true;
      ++line, ++i;
      continue;
    }
    if (static_cast<unsigned char>(c) <= ' ' ||
        (c == '\\' && i + 1 < s.size() && (s[i + 1] == '\n' || s[i + 1] == '\r'))) {
      ++i;
      continue;
    }
    if (c == '/' && i + 1 < s.size() && s[i + 1] == '/') {
      i = std::min(s.find('\n', i), s.size());
      continue;
    }
    if (c == '/' && i + 1 < s.size() && s[i + 1] == '*') {
      const std::size_t end = s.find("*/", i + 2);
      const std::size_t to = end == std::string_view::npos ? s.size() : end + 2;
      line += static_cast<std::uint32_t>(
          std::count(s.begin() + static_cast<std::ptrdiff_t>(i), s.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
      i = to;
      continue;
    }
    if (c == '#' && at_line_begin) directive = true;
    at_line_begin = false;
    token t{token::kind::mark, s.substr(i, 1), i, line, directive};
    std::size_t n = 1;
    if (is_decimal(c) || (c == '.' && i + 1 < s.size() && is_decimal(s[i + 1]))) {
      t.is = token::kind::number;
      while (i + n < s.size() &&
             (stands_in_word(s[i + n]) || s[i + n] == '.' ||
              (s[i + n] == '\'' && i + n + 1 < s.size() && stands_in_word(s[i + n + 1])) ||
              ((s[i + n] == '+' || s[i + n] == '-') && (s[i + n - 1] == 'e' || s[i + n - 1] == 'E') &&
               !(n > 1 && (s[i + 1] == 'x' || s[i + 1] == 'X')))))
        ++n;
    } else if (stands_in_word(c)) {
      t.is = token::kind::word;
      while (i + n < s.size() && stands_in_word(s[i + n])) ++n;
      if (i + n < s.size() && s[i + n] == '"' && s[i + n - 1] == 'R' && n <= 3) {
        t.is = token::kind::text;
        n += raw_length(s, i + n);
      }
    } else if (c == '"' || c == '\'') {
      t.is = token::kind::text;
      n = literal_length(s, i);
    } else {
      for (const std::string_view mark : long_marks)
        if (mark[0] == c && s.substr(i, mark.size()) == mark) {
          n = mark.size();
          break;
        }
    }
    t.spelled = s.substr(i, n);
    line += static_cast<std::uint32_t>(std::count(t.spelled.begin(), t.spelled.end(), '\n'));
    tokens.push_back(t);
    i += n;
  }
  return tokens;
}

namespace {

char only_character(const token& t) { return t.spelled.size() == 1 ? t.spelled[0] : '\0'; }

}  // namespace

bool opens(const token& t) {
  const char c = only_character(t);
  return c == '(' || c == '[' || c == '{';
}
bool closes(const token& t) {
  const char c = only_character(t);
  return c == ')' || c == ']' || c == '}';
}

std::size_t closing(const std::vector<token>& tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].of_directive != tokens[open].of_directive) continue;
    if (tokens[i].is != token::kind::mark) continue;
    if (opens(tokens[i])) ++depth;
    if (closes(tokens[i]) && --depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace bankwise::source
