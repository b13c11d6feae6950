// Finds declarations between __shared__ and the semicolon, without a C++ parser.
#include "source/shared_declarations.hpp"

#include "source/text.hpp"
#include "source/tokens.hpp"

namespace bankwise::source {

namespace {

// The tokens of a declarator: the first token, and the token after the last.
struct declarator_range {
  std::size_t begin = 0, end = 0;
};

// Returns by how much a token changes the nesting depth. Brackets of template arguments also count.
int deeper_by(const token& t) {
  const std::string_view s = t.spelled;
  if (t.is != token::kind::mark) return 0;
  return s == "(" || s == "[" || s == "<" ? 1 : s == ")" || s == "]" || s == ">" ? -1 : 0;
}

// Splits tokens at commas that are not in brackets.
std::vector<declarator_range> declarators_of(const std::vector<token>& t, std::size_t begin, std::size_t end) {
  std::vector<declarator_range> parts;
  int depth = 0;
  std::size_t from = begin;
  for (std::size_t i = begin; i < end; ++i) {
    depth += deeper_by(t[i]);
    if (t[i].spelled != "," || depth != 0) continue;
    parts.push_back({from, i});
    from = i + 1;
  }
  parts.push_back({from, end});
  return parts;
}

// Reads the array from a declarator. Returns false if the declarator has no name, or if its brackets do not match.
bool read_declarator(const std::vector<token>& t, const declarator_range& p, shared_declaration& d) {
  std::size_t bracket = p.begin;
  // Specifiers such as __align__(16) and alignas(sizeof(x[0])) may precede the name.
  for (int depth = 0; bracket < p.end; ++bracket) {
    if (t[bracket].spelled == "[" && depth == 0) break;
    depth += deeper_by(t[bracket]);
  }
  if (bracket == p.begin || t[bracket - 1].is != token::kind::word || t[bracket - 1].spelled == "__shared__")
    return false;
  const token& name = t[bracket - 1];
  d.name = name.spelled;
  d.begin = name.at;
  d.end = name.end();
  for (std::size_t i = bracket; i < p.end && t[i].spelled == "["; ++i) {
    const std::size_t close = closing(t, i);
    if (close >= p.end) return false;
    d.last_begin = t[i].end();
    d.last_end = t[close].at;
    d.end = t[close].end();
    ++d.extents;
    i = close;
  }
  return true;
}

}  // namespace

std::vector<shared_declaration> shared_declarations(std::string_view source) {
  const std::vector<token> t = tokens_of(source);
  std::vector<shared_declaration> found;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i].spelled != "__shared__") continue;
    std::size_t stop = i;
    while (stop < t.size() && t[stop].spelled != ";" && t[stop].spelled != "{" && t[stop].spelled != "}") ++stop;
    if (stop == t.size() || t[stop].at - t[i].at > most_statement || t[stop].spelled != ";") continue;
    for (const declarator_range& p : declarators_of(t, i, stop)) {
      shared_declaration d;
      d.statement = t[i].at;
      if (read_declarator(t, p, d)) found.push_back(std::move(d));
    }
  }
  return found;
}

}  // namespace bankwise::source
