#include "expr/parse/operators.hpp"

#include <cctype>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/casts.hpp"
#include "expr/parse/elements.hpp"
#include "expr/parse/named_values.hpp"
#include "expr/parse/type_names.hpp"

namespace bankwise::expr {

namespace {

struct binary_operator {
  std::string_view text;
  int precedence;  // a greater number binds more tightly
  op code;
};

// C's operators, and Python's //. An operator must precede its prefixes in the table.
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

operand parse_binary(parser& p, int least) {
  p.skip_blanks();
  const std::size_t begin = p.here;
  operand left = parse_unary(p);
  for (;;) {
    p.skip_blanks();
    const binary_operator* o = p.error ? nullptr : operator_at(p.rest());
    if (o == nullptr || o->precedence < least) return left;
    // The caller handles s[t]++ at the end of a line.
    if (p.in_line && (p.rest().starts_with("++") || p.rest().starts_with("--")) && trim(p.rest().substr(2)).empty())
      return left;
    const std::size_t at = p.here;
    p.here += o->text.size();
    if (p.peek() == '=' && o->precedence != 6 && o->precedence != 7)
      return p.fail(at, o->text.size() + 1, "an assignment is not allowed inside an expression");
    const bool adds = o->code == op::add || o->code == op::subtract;
    // The name of an array, or a row of an array, is converted to its address, as in A + t.
    if (adds && left.is == operand_form::element && !left.extents.empty() &&
        (p.in_line || left.end == p.here - o->text.size()))
      left = as_pointer(left);
    if (left.is != operand_form::pointer) left = number_only(p, left);
    p.skip_blanks();
    operand right = parse_binary(p, o->precedence + 1);
    if (adds && right.is == operand_form::element && !right.extents.empty() && p.in_line) right = as_pointer(right);
    if (p.error) return {};
    if (adds && left.is == operand_form::pointer && right.is != operand_form::pointer) {
      right = number_only(p, right);
      if (p.error) return {};
      if (right.is == operand_form::unknown) {
        left = {.is = operand_form::unknown, .node = right.node, .at = begin, .end = p.here};
        continue;
      }
      left = add_to_pointer(p, left, right, o->code == op::subtract, at);
      left.at = begin, left.end = p.here;
      continue;
    }
    if (o->code == op::add && right.is == operand_form::pointer && left.is == operand_form::number) {
      left = add_to_pointer(p, right, left, false, at);
      left.at = begin, left.end = p.here;
      continue;
    }
    left = number_only(p, left), right = number_only(p, right);
    if (p.error) return {};
    if (left.is == operand_form::unknown || right.is == operand_form::unknown)
      left = {.is = operand_form::unknown, .node = left.is == operand_form::unknown ? left.node : right.node};
    else
      left = p.number_of(p.push({.code = o->code, .column = p.column(at), .a = left.node, .b = right.node}), begin);
    left.at = begin, left.end = p.here;
  }
}

operand parse_primary(parser& p) {
  p.skip_blanks();
  const std::size_t at = p.here;
  if (p.here >= p.end)
    return p.fail(at, 1,
                  p.text.empty() ? "the expression is empty"
                                 : "the expression ends here, but a number, a name or '(' is missing");
  const char c = p.text[p.here];
  if (c == '(') {
    ++p.here;
    operand inner = parse_ternary(p);
    p.expect(')', "expected ')' to close this expression");
    inner.at = at, inner.end = p.here;
    return inner;
  }
  if (is_digit(c) || (p.in_line && c == '.' && is_digit(p.peek(1)))) return parse_literal(p);
  if (is_name_start(c) || (c == ':' && p.peek(1) == ':')) return parse_name(p);
  return p.fail(at, 1, formatted("unexpected '{}'", character_at(p.text, at)), "expected a number, a name or '('");
}

}  // namespace

operand parse_ternary(parser& p) {
  const parser::deeper level(p);
  if (p.error) return {};
  p.skip_blanks();
  const std::size_t begin = p.here;
  operand condition = parse_binary(p, 1);
  p.skip_blanks();
  const std::size_t at = p.here;
  if (p.error || !p.eat('?')) return condition;
  condition = number_only(p, condition);
  operand yes = parse_ternary(p);
  p.expect(':', "expected ':' between the two values of ?:");
  operand no = parse_ternary(p);
  if (p.error) return {};
  if (yes.is == operand_form::element && no.is == operand_form::element && condition.is == operand_form::number) {
    const std::uint32_t a = access_node(p, yes), b = access_node(p, no);
    if (p.error) return {};
    if (p.nodes[a].element_bytes != p.nodes[b].element_bytes || yes.type.bytes != no.type.bytes)
      return p.fail(at, 1, "the two values of ?: are elements of different sizes");
    operand both = yes;
    both.extents.clear();
    both.node = p.push({.code = op::choose, .column = p.column(at), .a = condition.node, .b = a, .c = b});
    both.at = begin, both.end = p.here;
    return both;
  }
  if (!p.in_line && (yes.is == operand_form::element) != (no.is == operand_form::element))
    return p.fail(at, 1, "the two values of ?: are elements of different sizes");
  yes = number_only(p, yes), no = number_only(p, no);
  for (const operand& o : {condition, yes, no})
    if (o.is == operand_form::unknown) return {.is = operand_form::unknown, .node = o.node, .at = begin, .end = p.here};
  if (p.error) return {};
  return p.number_of(
      p.push({.code = op::choose, .column = p.column(at), .a = condition.node, .b = yes.node, .c = no.node}), begin);
}

operand add_to_pointer(parser& p, const operand& pointer, const operand& n, bool minus, std::size_t at) {
  if (pointer.stride == 0)
    return p.fail(at, 1,
                  formatted("the elements of {} share bytes, so pointers to them have no arithmetic", pointer.of),
                  "write the sum into the index, or cast the pointer first, as in (uint4*)&tile[t][0] + 1");
  operand moved = pointer;
  const std::uint32_t where = p.column(at);
  const std::uint32_t steps = p.push({.code = op::multiply,
                                      .column = where,
                                      .a = n.node,
                                      .b = p.constant(static_cast<std::int64_t>(pointer.stride), at)});
  const op code = minus ? op::subtract : op::add;
  moved.node = p.push({.code = code, .column = where, .a = pointer.node, .b = steps});
  moved.in_bytes = p.push({.code = code, .column = where, .a = pointer.in_bytes, .b = n.node});
  return moved;
}

operand parse_unary(parser& p) {
  const parser::deeper level(p);
  if (p.error) return {};
  p.skip_blanks();
  const std::size_t at = p.here;
  const char c = p.peek();
  if (c == '-' || c == '+' || c == '~' || c == '!') {
    ++p.here;
    operand o = number_only(p, parse_unary(p));
    o.at = at, o.end = p.here;
    if (p.error || c == '+' || o.is == operand_form::unknown) return o;
    const op code = c == '-' ? op::negate : c == '~' ? op::complement : op::logical_not;
    return p.number_of(p.push({.code = code, .column = p.column(at), .a = o.node}), at);
  }
  if (c == '&') {
    ++p.here;
    return address_of(p, parse_unary(p), at);
  }
  if (c == '*') {
    ++p.here;
    return dereferenced(p, parse_unary(p), at);
  }
  if (c == '(')
    if (auto o = parse_c_cast(p)) return *o;
  return parse_postfix(p, parse_primary(p));
}

namespace {

// Whether the text is a declaration and not an expression, such as "float4 smem[t]" or "__shared__ float tile[32]".
bool looks_declared(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t");
  if (end == std::string_view::npos) return false;
  const std::string_view first = text.substr(0, end), next = trim(text.substr(end));
  return first == "__shared__" ||
         (find_type(first) && !next.empty() && (std::isalpha(static_cast<unsigned char>(next.front())) != 0));
}

}  // namespace

void refuse_rest(parser& p) {
  if (p.error || p.here >= p.end) return;
  p.fail(p.here, 1, formatted("unexpected '{}' after the end of the expression", character_at(p.text, p.here)),
         p.text[p.here] == ','    ? "a list of addresses can have only numbers, such as 0, 4, 8"
         : looks_declared(p.text) ? formatted("declare the array with {}, and ask about an element, such as tile[t][0]",
                                              worded(setting::array, "float tile[32][32]"))
                                  : "");
}

result<expression> parse(std::string_view text, const scope& names, std::string_view what) {
  parser p(text, names, what);
  if (p.text.size() > most_text) return diagnostic{formatted("{} is longer than {} characters", p.what, most_text)};
  const operand root = parse_ternary(p);
  p.skip_blanks();
  if (trim(p.rest()) != ";") refuse_rest(p);
  return p.finish(root.is == operand_form::element   ? access_node(p, root)
                  : root.is == operand_form::pointer ? root.in_bytes
                                                     : root.node);
}

}  // namespace bankwise::expr
