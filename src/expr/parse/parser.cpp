// Characters and nodes; the ways into the parser.
#include "expr/parse/parser.hpp"

#include <algorithm>
#include <utility>

#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise::expr {

result<expression> parser::run() {
  if (text_.size() > most_text)
    return diagnostic{std::string(what_) + " is longer than " + std::to_string(most_text) + " characters"};
  const operand root = ternary();
  skip_blanks();
  if (!error_ && at_ < end_ && !(text_[at_] == ';' && trim(rest()) == ";")) {
    const bool comma = text_[at_] == ',';
    fail(at_, 1, "unexpected '" + character_at(text_, at_) + "' after the end of the expression",
         comma ? "a list of addresses holds numbers only: 0, 4, 8" : "");
  }
  return finish(root.is == form::element   ? access_node(root)
                : root.is == form::pointer ? root.in_bytes
                                           : root.node,
                {});
}

result<expression> parser::finish(std::uint32_t root, std::string_view part) {
  if (error_) return *error_;
  expression e;
  e.text_ = part.empty() ? text_ : std::string(part);
  e.scope_ = names_;
  e.what_ = what_;
  e.nodes_ = std::make_shared<const std::vector<node>>(nodes_);
  e.root_ = root;
  return e;
}

// --- characters ----------------------------------------------------------------------------------------------------------
void parser::skip_blanks() {
  while (at_ < end_ && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
}

bool parser::eat(char c) {
  skip_blanks();
  if (peek() != c || c == '\0') return false;
  ++at_;
  return true;
}

bool parser::eat(std::string_view word) {
  skip_blanks();
  if (!rest().starts_with(word)) return false;
  at_ += word.size();
  return true;
}

bool parser::eat_word(std::string_view word) {
  skip_blanks();
  if (!rest().starts_with(word) || is_name(peek(word.size()))) return false;
  at_ += word.size();
  return true;
}

void parser::expect(char c, const char* after) {
  if (error_ || eat(c)) return;
  fail(at_, 1, std::string("expected '") + c + "' " + after);
}

std::string_view parser::name() {
  const std::size_t begin = at_;
  while (at_ < end_ && is_name(text_[at_])) ++at_;
  return std::string_view(text_).substr(begin, at_ - begin);
}

// --- nodes ---------------------------------------------------------------------------------------------------------------
parser::operand parser::fail(std::size_t at, std::size_t length, std::string message, std::string hint) {
  if (!error_) error_ = error_at(what_, text_, at + 1, length, std::move(message), std::move(hint));
  return {};
}

std::uint32_t parser::push(node n) {
  if (n.code > op::unknown) {
    n.height = 1 + std::max({nodes_[n.a].height, nodes_[n.b].height, nodes_[n.c].height});
    if (n.height > most_height) {
      fail(n.column - 1, 1, "the expression is too long");
      return 0;
    }
  }
  nodes_.push_back(n);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t parser::constant(std::int64_t n, std::size_t at) {
  return push({.code = op::number, .column = column(at), .number = n});
}

parser::deeper::deeper(parser& q) : p(q) {
  if (++p.depth_ > most_depth) p.fail(p.at_, 1, "nested deeper than " + std::to_string(most_depth) + " levels");
}

parser::operand parser::unknown(std::size_t at, std::size_t length, std::string message, std::string hint) {
  if (!in_line_) return fail(at, length, std::move(message), std::move(hint));
  if (!error_) unknowns_.push_back(error_at(what_, text_, at + 1, length, std::move(message), std::move(hint)));
  return {.is = form::unknown,
          .node = static_cast<std::uint32_t>(unknowns_.empty() ? 0 : unknowns_.size() - 1),
          .at = at,
          .end = at_};
}

// An element used in arithmetic: in an expression it would be its address, which is almost never meant; in a line it is loaded.
parser::operand parser::number_only(operand o) {
  if (error_ || o.is == form::number || o.is == form::unknown) return o;
  if (o.is == form::pointer) return number_of(o.in_bytes, o.at);
  if (!in_line_)
    return fail(o.at, 1, "an array element stands for its address here, not for a number",
                "the whole expression must be one element, such as tile[t][0]; put the arithmetic in its index, or "
                "write & before the element");
  const std::string part = text_.substr(o.at, o.end - o.at);
  record(o, "ld");
  return unknown(o.at, o.end - o.at,
                 "the value of " + part + " is data of shared memory: an address cannot depend on it here",
                 "give the index a value by " + worded(setting::let) + ", or ask with a list of addresses");
}

std::uint32_t parser::index_of(const operand& given) {
  const operand o = number_only(given);
  if (!error_ && o.is == form::unknown) error_ = unknowns_[o.node];
  return error_ ? 0 : o.node;
}

result<expression> parse(std::string_view text, const scope& names, std::string_view what) {
  return parser(text, names, what).run();
}

result<line> parse_line(std::string_view text, const scope& names, std::string_view what) {
  return parser(text, names, what).run_line();
}

}  // namespace bankwise::expr
