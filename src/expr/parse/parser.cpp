#include "expr/parse/parser.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"

namespace bankwise::expr {

result<expression> parser::finish(std::uint32_t root) const {
  if (error) return *error;
  expression e;
  e.text_ = text;
  e.scope_ = names;
  e.what_ = what;
  e.nodes_ = std::make_shared<const std::vector<node>>(nodes);
  e.root_ = root;
  return e;
}

void parser::skip_blanks() {
  while (here < end && (text[here] == ' ' || text[here] == '\t' || text[here] == '\n' || text[here] == '\r')) ++here;
}

bool parser::eat(char c) {
  skip_blanks();
  if (peek() != c || c == '\0') return false;
  ++here;
  return true;
}

bool parser::eat(std::string_view word) {
  skip_blanks();
  if (!rest().starts_with(word)) return false;
  here += word.size();
  return true;
}

bool parser::eat_word(std::string_view word) {
  skip_blanks();
  if (!rest().starts_with(word) || is_name(peek(word.size()))) return false;
  here += word.size();
  return true;
}

void parser::expect(char c, const char* message) {
  if (error || eat(c)) return;
  fail(here, 1, message);
}

std::string_view parser::name() {
  const std::size_t begin = here;
  while (here < end && is_name(text[here])) ++here;
  return std::string_view(text).substr(begin, here - begin);
}

operand parser::fail(std::size_t at, std::size_t length, std::string message, std::string hint) {
  if (!error) error = error_at(what, text, at + 1, length, std::move(message), std::move(hint));
  return {};
}

std::uint32_t parser::push(node n) {
  if (n.code > op::unknown) {
    n.height = 1 + std::max({nodes[n.a].height, nodes[n.b].height, nodes[n.c].height});
    if (n.height > most_height) {
      fail(n.column - 1, 1, "the expression is too long");
      return 0;
    }
  }
  nodes.push_back(n);
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t parser::constant(std::int64_t n, std::size_t at) {
  return push({.code = op::number, .column = column(at), .number = n});
}

parser::deeper::deeper(parser& q) : p(q) {
  if (++p.depth > most_depth)
    p.fail(p.here, 1, formatted("the expression is nested deeper than {} levels", most_depth));
}

operand parser::unknown(std::size_t at, std::size_t length, std::string message, std::string hint) {
  if (!in_line) return fail(at, length, std::move(message), std::move(hint));
  if (!error) unknowns.push_back(error_at(what, text, at + 1, length, std::move(message), std::move(hint)));
  return {.is = operand_form::unknown,
          .node = static_cast<std::uint32_t>(unknowns.empty() ? 0 : unknowns.size() - 1),
          .at = at,
          .end = here};
}

}  // namespace bankwise::expr
