#include "source/index_text.hpp"

#include <vector>

#include "base/format.hpp"

namespace bankwise::source {

namespace {

using token_list = reader::tokens;

constexpr int deepest_macro = 8;

// Returns the replacement texts of all definitions of a macro. Returns an empty list if the source does not define such
// a macro.
std::vector<token_range> macro_bodies(const token_list& t, std::string_view name) {
  std::vector<token_range> all;
  for (std::size_t m = 2; m + 1 < t.size(); ++m) {
    if (t[m].spelled != name || t[m - 1].spelled != "define" || !t[m].of_directive) continue;
    std::size_t end = m;
    while (end + 1 < t.size() && t[end + 1].of_directive && t[end + 1].spelled != "#") ++end;
    if (end > m) all.emplace_back(m + 1, end);
  }
  return all;
}

bool is_one_operand(const token_list& t, token_range text, int levels) {
  const auto [first, last] = text;
  if (levels < 0) return false;
  for (std::size_t i = first; i <= last; ++i) {
    if (t[i].is == token::kind::word) {
      for (const token_range& body : macro_bodies(t, t[i].spelled))
        if (!is_one_operand(t, body, levels - 1)) return false;
      continue;
    }
    if (t[i].is == token::kind::number) continue;
    if (t[i].spelled == "." || t[i].spelled == "::" || t[i].spelled == "->") continue;
    if (t[i].spelled != "(" && t[i].spelled != "[") return false;
    const std::size_t close = closing(t, i);
    // A cast such as (int)x is not an operand.
    if (close > last || (t[i].spelled == "(" && i == first && close != last)) return false;
    i = close;
  }
  return first <= last;
}

bool is_one_sum(const token_list& t, token_range text, int levels) {
  if (levels < 0) return false;
  for (std::size_t i = text.first; i <= text.second; ++i) {
    const std::string_view s = t[i].spelled;
    if (s == "(") {
      i = closing(t, i);
      continue;
    }
    if (t[i].is == token::kind::mark && s != "+" && s != "*" && s != "/" && s != "-" && s != "::" && s != "%")
      return false;
    if (t[i].is == token::kind::word)
      for (const token_range& body : macro_bodies(t, s))
        if (!is_one_sum(t, body, levels - 1)) return false;
  }
  return true;
}

bool has_comma(const token_list& t, token_range text) {
  for (std::size_t i = text.first; i <= text.second; ++i) {
    if (t[i].spelled == ",") return true;
    if (t[i].spelled == "(" || t[i].spelled == "[" || t[i].spelled == "{") i = closing(t, i);
  }
  return false;
}

bool does_same_again(const token_list& t, token_range text, int levels) {
  for (std::size_t i = text.first; i <= text.second; ++i) {
    const std::string_view s = t[i].spelled;
    if (t[i].is == token::kind::word)
      for (const token_range& body : macro_bodies(t, s))
        if (levels == 0 || !does_same_again(t, body, levels - 1)) return false;
    if (s == "++" || s == "--" ||
        (s.size() >= 2 && s.ends_with('=') && s != "==" && s != "!=" && s != "<=" && s != ">=") || s == "=")
      return false;
    if (s == "(" && i > text.first && t[i - 1].is == token::kind::word) return false;  // a call of a function
  }
  return true;
}

}  // namespace

bool is_operand(const reader& r, token_range text) { return is_one_operand(r.all(), text, deepest_macro); }

std::string operand(const reader& r, token_range text) {
  const std::string spelled = r.text(text.first, text.second);
  return is_operand(r, text) ? spelled : formatted("({})", spelled);
}

std::string summand(const reader& r, token_range text) {
  const std::string spelled = r.text(text.first, text.second);
  return is_one_sum(r.all(), text, deepest_macro) ? spelled : formatted("({})", spelled);
}

std::string argument(const reader& r, token_range text) {
  const token_list& t = r.all();
  const bool in_brackets = t[text.first].spelled == "(" && closing(t, text.first) == text.second;
  const std::string spelled = r.text(text.first, text.second);
  if (in_brackets && !has_comma(t, {text.first + 1, text.second - 1})) return spelled;
  return has_comma(t, text) ? formatted("(({}))", spelled) : formatted("({})", spelled);
}

bool repeats(const reader& r, token_range text) { return does_same_again(r.all(), text, deepest_macro); }

}  // namespace bankwise::source
