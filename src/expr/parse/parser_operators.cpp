// Operators and their precedence.
#include <algorithm>

#include "base/text.hpp"
#include "expr/parse/parser.hpp"

namespace bankwise::expr {

namespace {

struct binary_operator {
  std::string_view text;
  int precedence;  // higher binds tighter
  op code;
};

// C's table, and Python's //. Longer spellings stand before their prefixes.
constexpr binary_operator binary_operators[] = {
    {"<<", 8, op::shift_left}, {">>", 8, op::shift_right}, {"<=", 7, op::less_equal},  {">=", 7, op::greater_equal},
    {"==", 6, op::equal},      {"!=", 6, op::not_equal},   {"&&", 2, op::logical_and}, {"||", 1, op::logical_or},
    {"//", 10, op::divide},    {"<", 7, op::less},         {">", 7, op::greater},      {"*", 10, op::multiply},
    {"/", 10, op::divide},     {"%", 10, op::remainder},   {"+", 9, op::add},          {"-", 9, op::subtract},
    {"&", 5, op::bit_and},     {"^", 4, op::bit_xor},      {"|", 3, op::bit_or},
};

const binary_operator* operator_at(std::string_view rest) {
  for (const binary_operator& o : binary_operators)
    if (rest.starts_with(o.text)) return &o;
  return nullptr;
}

}  // namespace

parser::operand parser::ternary() {
  const deeper level(*this);
  if (error_) return {};
  skip_blanks();
  const std::size_t begin = at_;
  operand condition = binary(1);
  skip_blanks();
  const std::size_t at = at_;
  if (error_ || !eat('?')) return condition;
  condition = number_only(condition);
  operand yes = ternary();
  expect(':', "between the two values of ?:");
  operand no = ternary();
  if (error_) return {};
  if (yes.is == form::element && no.is == form::element && condition.is == form::number) {
    const std::uint32_t a = access_node(yes), b = access_node(no);
    if (error_) return {};
    if (nodes_[a].element_bytes != nodes_[b].element_bytes || yes.type.bytes != no.type.bytes)
      return fail(at, 1, "the two values of ?: are elements of different sizes");
    operand both = yes;
    both.extents.clear();
    both.node = push({.code = op::choose, .column = column(at), .a = condition.node, .b = a, .c = b});
    both.at = begin, both.end = at_;
    return both;
  }
  if (!in_line_ && (yes.is == form::element) != (no.is == form::element))
    return fail(at, 1, "the two values of ?: are elements of different sizes");
  yes = number_only(yes), no = number_only(no);
  for (const operand& o : {condition, yes, no})
    if (o.is == form::unknown) return {.is = form::unknown, .node = o.node, .at = begin, .end = at_};
  if (error_) return {};
  return number_of(push({.code = op::choose, .column = column(at), .a = condition.node, .b = yes.node, .c = no.node}),
                   begin);
}

parser::operand parser::add_to_pointer(const operand& pointer, const operand& n, bool minus, std::size_t at) {
  operand moved = pointer;
  const std::uint32_t where = column(at);
  const std::uint32_t steps = push({.code = op::multiply,
                                    .column = where,
                                    .a = n.node,
                                    .b = constant(static_cast<std::int64_t>(pointer.stride), at)});
  const op code = minus ? op::subtract : op::add;
  moved.node = push({.code = code, .column = where, .a = pointer.node, .b = steps});
  moved.in_bytes = push({.code = code, .column = where, .a = pointer.in_bytes, .b = n.node});
  return moved;
}

parser::operand parser::binary(int least) {
  skip_blanks();
  const std::size_t begin = at_;
  operand left = unary();
  for (;;) {
    skip_blanks();
    const binary_operator* o = error_ ? nullptr : operator_at(rest());
    if (o == nullptr || o->precedence < least) return left;
    // s[t]++ at the end of a line
    if (in_line_ && (rest().starts_with("++") || rest().starts_with("--")) && trim(rest().substr(2)).empty())
      return left;
    const std::size_t at = at_;
    at_ += o->text.size();
    if (peek() == '=' && o->precedence != 6 && o->precedence != 7)
      return fail(at, o->text.size() + 1, "assignment is not part of the lane language");
    const bool adds = o->code == op::add || o->code == op::subtract;
    // The name of an array, or a row of it, is where it begins: A + t.
    if (adds && left.is == form::element && !left.extents.empty() && (in_line_ || left.end == at_ - o->text.size()))
      left = as_pointer(left);
    if (left.is != form::pointer) left = number_only(left);
    skip_blanks();
    operand right = binary(o->precedence + 1);
    if (adds && right.is == form::element && !right.extents.empty() && in_line_) right = as_pointer(right);
    if (error_) return {};
    if (adds && left.is == form::pointer && right.is != form::pointer) {
      right = number_only(right);
      if (error_) return {};
      if (right.is == form::unknown) {
        left = {.is = form::unknown, .node = right.node, .at = begin, .end = at_};
        continue;
      }
      left = add_to_pointer(left, right, o->code == op::subtract, at);
      left.at = begin, left.end = at_;
      continue;
    }
    if (o->code == op::add && right.is == form::pointer && left.is == form::number) {
      left = add_to_pointer(right, left, false, at);
      left.at = begin, left.end = at_;
      continue;
    }
    left = number_only(left), right = number_only(right);
    if (error_) return {};
    if (left.is == form::unknown || right.is == form::unknown)
      left = {.is = form::unknown, .node = left.is == form::unknown ? left.node : right.node};
    else
      left = number_of(push({.code = o->code, .column = column(at), .a = left.node, .b = right.node}), begin);
    left.at = begin, left.end = at_;
  }
}

parser::operand parser::unary() {
  const deeper level(*this);
  if (error_) return {};
  skip_blanks();
  const std::size_t at = at_;
  const char c = peek();
  if (c == '-' || c == '+' || c == '~' || c == '!') {
    ++at_;
    operand o = number_only(unary());
    o.at = at, o.end = at_;
    if (error_ || c == '+' || o.is == form::unknown) return o;
    const op code = c == '-' ? op::negate : c == '~' ? op::complement : op::logical_not;
    return number_of(push({.code = code, .column = column(at), .a = o.node}), at);
  }
  if (c == '&') {
    ++at_;
    return address_of(unary(), at);
  }
  if (c == '*') {
    ++at_;
    return dereferenced(unary(), at);
  }
  if (c == '(')
    if (auto o = c_cast()) return *o;
  return postfix(primary());
}

parser::operand parser::primary() {
  skip_blanks();
  const std::size_t at = at_;
  if (at_ >= end_) return fail(at, 1, text_.empty() ? "the expression is empty" : "the expression ends here");
  const char c = text_[at_];
  if (c == '(') {
    ++at_;
    operand inner = ternary();
    expect(')', "to close this expression");
    inner.at = at, inner.end = at_;
    return inner;
  }
  if (is_digit(c) || (in_line_ && c == '.' && is_digit(peek(1)))) return literal();
  if (is_name_start(c) || (c == ':' && peek(1) == ':')) return named();
  return fail(at, 1, "unexpected '" + character_at(text_, at) + "'", "expected a number, a name or '('");
}

}  // namespace bankwise::expr
