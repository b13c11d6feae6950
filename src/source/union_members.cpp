#include "source/union_members.hpp"

namespace bankwise::source {

namespace {

using tokens = std::vector<token>;

bool is_name(const tokens& t, std::size_t i) { return i < t.size() && t[i].is == token::kind::word; }
bool is(const tokens& t, std::size_t i, std::string_view spelled) { return i < t.size() && t[i].spelled == spelled; }

// Returns the position after words that do not change the type, such as "alignas(16)" and "volatile".
std::size_t after_specifiers(const tokens& t, std::size_t i) {
  for (;;) {
    if (is(t, i, "static") || is(t, i, "volatile"))
      ++i;
    else if ((is(t, i, "alignas") || is(t, i, "__align__") || is(t, i, "__attribute__")) && is(t, i + 1, "("))
      i = closing(t, i + 1) + 1;
    else
      return i;
  }
}

// Returns the brace of "union NAME {" before a token. If there is none, returns the number of tokens.
std::size_t brace_of(const tokens& t, std::string_view name, std::size_t before) {
  std::size_t found = t.size();
  for (std::size_t i = 0; i + 1 < before; ++i) {
    if (t[i].spelled != "union") continue;
    const std::size_t at = after_specifiers(t, i + 1);
    if (is(t, at, name) && is(t, at + 1, "{")) found = at + 1;
  }
  return found;
}

// Reads the members in "float a[4], b[T][T + 1];", from the type to the semicolon.
void read_member(const tokens& t, union_member m, std::size_t stop, std::vector<union_member>& all) {
  m.type = after_specifiers(t, m.type);
  for (std::size_t i = m.type; i < stop; ++i) {
    if (is(t, i, "(") || is(t, i, "{")) i = closing(t, i);
    if (i >= stop || !is(t, i, "[") || i <= m.type + 1 || !is_name(t, i - 1)) continue;
    m.name = i - 1;
    if (m.type_end == 0) m.type_end = m.name;
    m.extent.clear();
    while (is(t, i, "[")) {
      const std::size_t close = closing(t, i);
      if (close >= stop) return;
      m.extent.emplace_back(i + 1, close - 1);
      i = close + 1;
    }
    all.push_back(m);
  }
}

}  // namespace

std::vector<union_member> union_members(const tokens& t) {
  std::vector<union_member> all;
  for (std::size_t word = 0; word < t.size(); ++word) {
    if (t[word].spelled != "__shared__" || t[word].of_directive) continue;
    std::size_t at = after_specifiers(t, word + 1), open = t.size();
    const bool says_union = is(t, at, "union");
    if (says_union) at = after_specifiers(t, at + 1);
    const std::size_t brace = is_name(t, at) ? at + 1 : at;
    if (says_union && is(t, brace, "{")) {
      open = brace;
      at = closing(t, open) + 1;
    } else if (is_name(t, at)) {
      open = brace_of(t, t[at].spelled, word);
      ++at;
    }
    if (open >= t.size() || !is_name(t, at) || !is(t, at + 1, ";")) continue;
    union_member m{word, at, at + 1, open + 1, 0, 0, {}};
    const std::size_t close = closing(t, open);
    for (std::size_t i = open + 1; i < close; ++i) {
      if (is(t, i, "{") || is(t, i, "(") || is(t, i, "[")) i = closing(t, i);
      if (!is(t, i, ";")) continue;
      read_member(t, m, i, all);
      m.type = i + 1;
    }
  }
  return all;
}

}  // namespace bankwise::source
