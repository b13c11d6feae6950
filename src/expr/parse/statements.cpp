// Parses lines of kernels: if (...), declarations, assignments. The parser must understand accesses to shared memory.
// All other values may be unknown.
//
//     if (t < 16) s[t] = x;      a store in lanes with t < 16
//     s[t] += x;                 a load and a store
#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/accesses.hpp"
#include "expr/parse/elements.hpp"
#include "expr/parse/operators.hpp"

namespace bankwise::expr {

namespace {

struct assignment {
  std::size_t at = std::string_view::npos, length = 0;  // position and length of the operator
  // whether the operator is += or similar, which also loads the target
  bool compound = false;
};

// Finds the first = that is not in brackets.
assignment find_assignment(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != '=' || depth != 0 || i == 0) continue;
    const char before = text[i - 1], after = i + 1 < text.size() ? text[i + 1] : '\0';
    if (after == '=') {
      ++i;
      continue;
    }
    if (before == '!') continue;
    if (before == '<' || before == '>') {
      if (i >= 2 && text[i - 2] == before) return {i - 2, 3, true};
      continue;
    }
    if (std::string_view("+-*/%&|^").find(before) != std::string_view::npos) return {i - 1, 2, true};
    return {i, 1, false};
  }
  return {};
}

// Finds the ; that ends the statement.
std::size_t find_end(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (text[i] == ';' && depth == 0) return i;
  }
  return std::string_view::npos;
}

// Whether the left side declares a variable in registers. This is so if the left side has two successive words: "float4
// v", "const int x", "auto& y", "float v[4]".
bool is_declaration(std::string_view left) {
  std::size_t i = 0;
  const auto word = [&] {
    while (i < left.size() && left[i] == ' ') ++i;
    const std::size_t begin = i;
    while (i < left.size() && (is_name(left[i]) || left[i] == ':')) ++i;
    if (i > begin && i < left.size() && left[i] == '<') {
      const std::size_t close = left.find('>', i);
      if (close != std::string_view::npos) i = close + 1;
    }
    return i > begin && !is_digit(left[begin]);
  };
  if (!word()) return false;
  while (i < left.size() && (left[i] == ' ' || left[i] == '*' || left[i] == '&')) ++i;
  return i < left.size() && is_name_start(left[i]) && word();
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name(text[begin - 1])) --begin;
  return text.substr(begin);
}

// Reads if (...) and the beginning of the body. Returns whether a statement may follow.
bool parse_condition(parser& p) {
  p.expect('(', "expected '(' after if");
  const operand condition = number_only(p, parse_ternary(p));
  p.expect(')', "expected ')' after the condition");
  p.skip_blanks();
  // If the condition itself loads elements, the question is about these loads, which all lanes execute.
  if (!p.error && !p.accesses.empty()) p.here = p.end;
  if (p.error || !p.accesses.empty()) return false;
  if (condition.is == operand_form::unknown) p.error = p.unknowns[condition.node];
  if (p.error) return false;
  p.where = condition.node;
  if (p.eat('{')) p.skip_blanks();
  return true;
}

// Parses a statement without an assignment.
void parse_value(parser& p) {
  const bool steps_before = p.eat("++") || p.eat("--");
  operand o = parse_ternary(p);
  const bool steps = !p.error && (p.eat("++") || p.eat("--") || steps_before);
  if (p.error) return;
  if (steps && o.is == operand_form::element) {
    record_access(p, o, "ld");
    record_access(p, o, "st");
  } else if (steps && o.is == operand_form::unknown && p.accesses.empty()) {
    p.error = p.unknowns[o.node];
  } else {
    p.value = o;
  }
}

void parse_assignment(parser& p, const assignment& a, std::size_t begin) {
  const std::size_t end = p.end, left_end = begin + a.at;
  const std::string_view left = trim(std::string_view(p.text).substr(begin, a.at));
  bool names_array = false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!is_name_start(left[i]) || (i != 0 && is_name(left[i - 1]))) continue;
    std::size_t to = i;
    while (to < left.size() && is_name(left[to])) ++to;
    for (const array_decl& array : p.names.arrays) names_array = names_array || array.name == left.substr(i, to - i);
  }
  const bool declares = is_declaration(left) && left.find("_cast") == std::string_view::npos;
  const bool is_name_alone = std::all_of(left.begin(), left.end(), is_name);
  if (left.empty()) {
    p.fail(begin, 1, "expected a variable or an element before =");
    return;
  }
  operand target;
  if (declares || is_name_alone) {
    target.is = operand_form::unknown;
    target.node =
        p.unknown(begin, left.size(), formatted("'{}' is not in shared memory", left),
                  !a.compound
                      ? formatted("to set a variable, pass {}",
                                  worded(setting::let, formatted("{}={}", last_word(left),
                                                                 trim(std::string_view(p.text).substr(
                                                                     left_end + a.length, end - left_end - a.length)))))
                      : formatted("the line has no element of a declared array. Declare the array: {}",
                                  worded(setting::array, "float s[32][32]")))
            .node;
  } else {
    p.end = left_end;
    target = parse_ternary(p);
    p.skip_blanks();
    if (!p.error && p.here < p.end)
      p.fail(p.here, 1, formatted("unexpected '{}' before the assignment", character_at(p.text, p.here)));
    p.end = end;
    if (p.error) return;
  }
  p.here = left_end + a.length;
  p.skip_blanks();
  operand value;
  if (p.peek() == '{') {  // an initialiser list, as in float4 v = {s[t], s[t + 1]};
    ++p.here;
    if (!p.eat('}')) {
      do {
        if (!p.error) number_only(p, parse_ternary(p));
      } while (!p.error && p.eat(','));
      p.expect('}', "expected '}' after the values");
    }
  } else {
    // An element that is cast to a pointer is not loaded. An array without an index is also not loaded, as in float* p
    // = s;
    value = parse_ternary(p);
    // Handles the inner assignment of a = s[t] = v.
    if (!p.error && value.is == operand_form::element && p.peek() == '=' && p.peek(1) != '=') {
      record_access(p, value, "st");
      ++p.here;
      number_only(p, parse_ternary(p));
    } else if (value.is == operand_form::element && value.extents.empty()) {
      number_only(p, value);
    }
  }
  if (p.error) return;
  if (target.is == operand_form::element && names_array) {
    if (a.compound) record_access(p, target, "ld");
    record_access(p, target, "st");
  } else if (target.is == operand_form::element) {
    record_access(p, target, "st");  // stores through a pointer from a cast
  } else if (p.accesses.empty()) {
    if (target.is == operand_form::unknown)
      p.error = p.unknowns[target.node];
    else
      p.fail(begin, left.size(), "an assignment is not allowed inside an expression",
             "write a store to an element of a declared array, such as s[t] = v");
  }
}

void parse_statement(parser& p) {
  p.skip_blanks();
  if (p.eat("#pragma")) {  // skips #pragma unroll N on the same line
    p.eat_word("unroll");
    p.skip_blanks();
    while (is_digit(p.peek())) ++p.here;
    p.skip_blanks();
  }
  if (p.eat_word("for") || p.eat_word("while")) {
    p.fail(0, 3, "a loop makes more than one access",
           formatted("ask about one iteration: set the loop variable, for example with {}. bankwise fix accepts loops",
                     worded(setting::let, "k=0")));
    return;
  }
  if (p.eat_word("if") && !parse_condition(p)) return;
  const std::size_t begin = p.here;
  const assignment a = find_assignment(p.rest());
  if (a.at == std::string_view::npos)
    parse_value(p);
  else
    parse_assignment(p, a, begin);
}

}  // namespace

result<line> parse_line(std::string_view text, const scope& names, std::string_view what) {
  parser p(text, names, what);
  if (p.text.size() > most_text) return diagnostic{formatted("{} is longer than {} characters", p.what, most_text)};
  p.in_line = true;
  // The line must contain only one statement. A comment or a brace may follow the semicolon.
  if (const std::size_t end = find_end(p.text); end != std::string_view::npos) {
    const std::string_view after = trim(std::string_view(p.text).substr(end + 1));
    if (!after.empty() && !after.starts_with("//") && !after.starts_with("/*") && after != "}" &&
        !p.text.starts_with("for"))
      return error_at(p.what, p.text, end + 2, 1, "there is more than one statement",
                      "ask about one statement at a time");
    p.end = end;
  }
  parse_statement(p);
  p.skip_blanks();
  refuse_rest(p);
  if (p.error) return *p.error;
  line l;
  if (p.value && p.value->is == operand_form::element && !p.accesses.empty() && p.value->extents.empty())
    record_access(p, *p.value, "ld");
  if (p.value && p.value->is == operand_form::element && p.accesses.empty()) record_access(p, *p.value, "");
  if (!p.error && p.accesses.empty()) {
    if (!p.value) return diagnostic{formatted("{} does not access memory", p.what)};
    if (p.value->is == operand_form::unknown) return p.unknowns[p.value->node];
    auto number = p.finish(p.value->is == operand_form::pointer ? p.value->in_bytes : p.value->node);
    if (!number) return number.error();
    l.number = std::move(*number);
  }
  if (p.where) {
    auto where = p.finish(*p.where);
    if (!where) return where.error();
    l.where = std::move(*where);
  }
  for (const parser::seen_access& a : p.accesses) {
    auto address = p.finish(a.root);
    if (!address) return address.error();
    l.accesses.push_back({std::move(*address), a.op, a.text, a.atomic});
  }
  if (p.error) return *p.error;
  l.uses_block_index = p.uses_block_index;
  return l;
}

}  // namespace bankwise::expr
