// No parser of C++: statements are found by their words, and whatever is not understood is passed over.
#include "lsp/shared_declarations.hpp"

#include <algorithm>

#include "source/text.hpp"

namespace bankwise::lsp {

namespace {

using source::is_word;
using source::most_statement;
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct part {
  std::size_t begin = 0, end = 0;
};

// Parts between commas that stand in no brackets.
std::vector<part> parts_of(std::string_view code, std::size_t begin, std::size_t end) {
  std::vector<part> parts;
  int depth = 0;
  std::size_t from = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const char c = code[i];
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') --depth;
    if (c != ',' || depth != 0) continue;
    parts.push_back({from, i});
    from = i + 1;
  }
  parts.push_back({from, end});
  return parts;
}

}  // namespace

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

std::vector<shared_declaration> shared_declarations(std::string_view source) {
  constexpr std::string_view word = "__shared__";
  const std::string code = code_alone(source);
  std::vector<shared_declaration> found;
  for (std::size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + word.size())) {
    if ((at > 0 && is_word(code[at - 1])) || (at + word.size() < code.size() && is_word(code[at + word.size()])))
      continue;
    const std::size_t stop = code.find_first_of(";{}", at);
    if (stop == std::string::npos || stop - at > most_statement || code[stop] != ';') continue;
    for (const part& p : parts_of(code, at, stop)) {
      shared_declaration d;
      d.statement = at;
      std::size_t bracket = p.begin;
      // __align__(16) and alignas(sizeof(x[0])) may stand before it.
      for (int depth = 0; bracket < p.end; ++bracket) {
        if (code[bracket] == '(' || code[bracket] == '<') ++depth;
        if (code[bracket] == ')' || code[bracket] == '>') --depth;
        if (code[bracket] == '[' && depth == 0) break;
      }
      std::size_t name_end = bracket;
      while (name_end > p.begin && is_blank(code[name_end - 1])) --name_end;
      d.begin = name_end;
      while (d.begin > p.begin && is_word(code[d.begin - 1])) --d.begin;
      d.name = code.substr(d.begin, name_end - d.begin);
      if (d.name.empty() || d.name == word || (d.name[0] >= '0' && d.name[0] <= '9')) continue;
      d.end = name_end;
      bool sound = true;
      for (std::size_t i = bracket; i < p.end && sound; ++i) {
        if (is_blank(code[i])) continue;
        if (code[i] != '[') break;
        std::size_t close = i + 1;
        for (int depth = 1; close < p.end; ++close) {
          depth += code[close] == '[' ? 1 : code[close] == ']' ? -1 : 0;
          if (depth == 0) break;
        }
        sound = close < p.end;
        d.last_begin = i + 1;
        d.last_end = close;
        d.end = close + 1;
        ++d.extents;
        i = close;
      }
      if (sound) found.push_back(std::move(d));
    }
  }
  return found;
}

}  // namespace bankwise::lsp
