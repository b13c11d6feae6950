#include "source/text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace bankwise::source {

std::string without_comments(std::string_view source) {
  std::string s(source);
  enum { code, line, block, quoted } in = code;
  char quote = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i], next = i + 1 < s.size() ? s[i + 1] : '\0';
    if (in == quoted) {
      if (c == '\\')
        ++i;
      else if (c == quote || c == '\n')
        in = code;
      continue;
    }
    if (in == code && (c == '"' || (c == '\'' && (i == 0 || !is_word(s[i - 1]))))) {
      in = quoted;
      quote = c;
      continue;
    }
    if (in == code && c == '/' && (next == '/' || next == '*')) in = next == '/' ? line : block;
    if (in == line && c == '\n') in = code;
    if (in == block && c == '*' && next == '/') {
      s[i] = s[i + 1] = ' ';
      in = code;
      continue;
    }
    if (in != code && c != '\n') s[i] = ' ';
  }
  return s;
}

bool stands_at(std::string_view s, std::size_t at, std::string_view word) {
  return s.substr(at, word.size()) == word && (at == 0 || !is_word(s[at - 1])) &&
         (at + word.size() >= s.size() || !is_word(s[at + word.size()]));
}

std::string_view last_name(std::string_view text) {
  text = trim(text);
  std::size_t from = text.size();
  while (from > 0 && is_word(text[from - 1])) --from;
  return text.substr(from);
}

std::vector<std::string_view> split_outside(std::string_view s, char separator, std::string_view brackets) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (const std::size_t bracket = brackets.find(s[i]); bracket != std::string_view::npos)
      depth += bracket % 2 == 0 ? 1 : -1;
    if (s[i] == separator && depth == 0) {
      parts.push_back(s.substr(from, i - from));
      from = i + 1;
    }
  }
  parts.push_back(s.substr(from));
  return parts;
}

std::size_t begin_of_line(std::string_view code, std::uint32_t n) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < n && at < code.size(); ++line)
    at = std::min(code.find('\n', at), code.size() - 1) + 1;
  return at;
}

std::vector<std::string_view> names_in(std::string_view code) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_word(code[i])) continue;
    std::size_t n = 1;
    while (i + n < code.size() && is_word(code[i + n])) ++n;
    if (code[i] < '0' || code[i] > '9') names.push_back(code.substr(i, n));
    i += n;
  }
  return names;
}

std::string code_alone(std::string_view source) {
  std::string s(source);
  enum class place { code, line, block, quoted } in = place::code;
  char quote = 0;
  const auto blank = [&](std::size_t i) {
    if (i < s.size() && s[i] != '\n' && s[i] != '\r') s[i] = ' ';
  };
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i], next = i + 1 < s.size() ? s[i + 1] : '\0';
    switch (in) {
      case place::code:
        if (c == '"' || (c == '\'' && (i == 0 || !is_word(s[i - 1])))) {
          in = place::quoted;
          quote = c;
        } else if (c == '/' && (next == '/' || next == '*')) {
          in = next == '/' ? place::line : place::block;
          blank(i);
          blank(++i);
        }
        break;
      case place::line:
        if (c == '\n') in = place::code;
        blank(i);
        break;
      case place::block:
        if (c == '*' && next == '/') {
          in = place::code;
          blank(i++);
        }
        blank(i);
        break;
      case place::quoted:
        if (c == quote || c == '\n') {
          in = place::code;
        } else {
          blank(i);
          if (c == '\\') blank(++i);
        }
        break;
    }
  }
  return s;
}

}  // namespace bankwise::source
