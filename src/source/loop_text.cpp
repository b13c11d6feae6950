// Parses loops. Bounds are constant expressions. A loop that halves or doubles its variable is an error.
#include "source/loop_text.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/expression.hpp"
#include "source/text.hpp"

namespace bankwise::source {

namespace {

constexpr const char* forms =
    "write a loop in one of these forms: for i < 4, for k in range(0, 16, 4), for (int k = 0; k < 16; k += 4). A "
    "loop has at most 4096 iterations";

diagnostic bad(std::string_view loop_text, std::string message) {
  return {std::move(message),
          {.file = "access",
           .line = 1,
           .column = 1,
           .length = static_cast<std::uint32_t>(std::max<std::size_t>(loop_text.size(), 1)),
           .source_line = std::string(loop_text)},
          forms};
}

// Returns the position of the parenthesis that closes the parenthesis at `open`, or npos.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

// In this function, < is not a bracket: "i < (a, b)" is one part.
std::vector<std::string_view> split_loop(std::string_view text, char separator) {
  auto parts = split_outside(text, separator, "()");
  for (std::string_view& part : parts) part = trim(part);
  return parts;
}

std::optional<std::int64_t> constant(std::string_view text, const expr::scope& names) {
  const auto e = expr::parse(text, names, "loop");
  if (!e) return std::nullopt;
  const auto first = e->evaluate(0), last = e->evaluate(31);
  if (!first || !last || first->number != last->number || first->element_bytes != 0) return std::nullopt;
  return first->number;
}

// Returns the last word of a text such as "int k" or "unsigned k".
std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

bool is_good_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

result<loop> make_loop(std::string_view whole, std::string_view name, std::int64_t begin, std::int64_t end,
                       std::int64_t step) {
  constexpr std::int64_t far = std::int64_t{1} << 40;
  if (!is_good_name(name)) return bad(whole, formatted("'{}' is not a name for the loop's variable", name));
  if (step == 0 || begin < -far || begin > far || end < -far || end > far || step < -far || step > far)
    return bad(whole, "the loop never ends");
  const std::int64_t count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
  if (count < 1) return bad(whole, "the loop has no iterations");
  if (count > most_turns)
    return bad(whole, formatted("the loop has {} iterations, but at most {} are allowed", count, most_turns));
  return loop{std::string(name), begin, step, count, std::string(whole)};
}

// Reads a loop such as "int k = 0; k < 16; k += 4".
result<loop> read_c_loop(std::string_view whole, std::string_view inside, const expr::scope& names) {
  const std::vector<std::string_view> parts = split_loop(inside, ';');
  if (parts.size() != 3) return bad(whole, "expected for (int k = 0; k < N; k += STEP)");
  const std::size_t equals = parts[0].find('=');
  if (equals == std::string_view::npos)
    return bad(whole, "expected the loop's variable and its first value: int k = 0");
  const std::string_view name = last_word(trim(parts[0].substr(0, equals)));
  const auto begin = constant(parts[0].substr(equals + 1), names);
  if (!begin)
    return bad(whole,
               formatted("the first value '{}' of the loop is not a constant", trim(parts[0].substr(equals + 1))));
  const std::size_t mark = parts[1].find_first_of("<>!");
  if (mark == std::string_view::npos || trim(parts[1].substr(0, mark)) != name)
    return bad(whole, formatted("expected the loop's end: {} < N", name));
  const bool or_equal = parts[1].substr(mark + 1).starts_with('=');
  const auto limit = constant(parts[1].substr(mark + (or_equal ? 2 : 1)), names);
  if (!limit)
    return bad(whole, formatted("the end '{}' of the loop is not a constant; {} sets the value of a name",
                                trim(parts[1].substr(mark + (or_equal ? 2 : 1))), worded(setting::let)));
  std::string_view third = parts[2];
  std::optional<std::int64_t> step;
  if (third == formatted("++{}", name) || third == formatted("{}++", name)) step = 1;
  if (third == formatted("{}{}", "--", name) || third == formatted("{}--", name)) step = -1;
  if (!step) {
    const std::size_t sum = third.find("+="), difference = third.find("-=");
    const std::size_t at = std::min(sum, difference);
    if (at != std::string_view::npos && trim(third.substr(0, at)) == name) {
      step = constant(third.substr(at + 2), names);
      if (step && at == difference) step = -*step;
    } else if (const std::size_t assigned = third.find('='); assigned != std::string_view::npos) {
      // reads a step such as k = k + 4
      std::string_view right = trim(third.substr(assigned + 1));
      if (trim(third.substr(0, assigned)) == name && right.starts_with(name)) {
        right = trim(right.substr(name.size()));
        if (right.starts_with('+') || right.starts_with('-')) {
          step = constant(right.substr(1), names);
          if (step && right.starts_with('-')) step = -*step;
        }
      }
    }
  }
  if (!step) return bad(whole, formatted("expected a constant step: {} += 4", name));
  if (parts[1][mark] == '!') return make_loop(whole, name, *begin, *limit, *step);
  const std::int64_t end = or_equal ? *limit + (*step > 0 ? 1 : -1) : *limit;
  if ((parts[1][mark] == '<') != (*step > 0)) return bad(whole, "the loop never ends");
  return make_loop(whole, name, *begin, end, *step);
}

// Reads a loop such as "i < 4", "k in range(0, 16, 4)", "i = 0..3" or "0 <= i < 4".
result<loop> read_short_loop(std::string_view one, const expr::scope& names) {
  if (const std::size_t in = find_word(one, "in"); in != std::string_view::npos) {
    const std::string_view name = trim(one.substr(0, in));
    std::string_view range = trim(one.substr(in + 2));
    while (range.ends_with(':')) range = trim(range.substr(0, range.size() - 1));
    const std::size_t open = range.find('(');
    if (open == std::string_view::npos || closing(range, open) != range.size() - 1 ||
        last_word(trim(range.substr(0, open))) != "range")
      return bad(one, "expected range(N), range(BEGIN, END) or range(BEGIN, END, STEP)");
    std::int64_t n[3] = {0, 0, 1};
    const auto parts = split_loop(range.substr(open + 1, range.size() - open - 2), ',');
    if (parts.size() > 3) return bad(one, "range() has at most three numbers");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto value = constant(parts[i], names);
      if (!value)
        return bad(one,
                   formatted("'{}' is not a constant; {} sets the value of a name", parts[i], worded(setting::let)));
      n[i] = *value;
    }
    if (parts.size() == 1) n[1] = n[0], n[0] = 0;
    return make_loop(one, name, n[0], n[1], n[2]);
  }
  std::size_t less = one.find('<');
  if (less == std::string_view::npos) return bad(one, "expected a loop I < N, with N from 1 to 4096");
  std::int64_t begin = 0;
  std::string_view name = trim(one.substr(0, less)), rest = one.substr(less + 1);
  bool or_equal = rest.starts_with('=');
  if (or_equal) rest.remove_prefix(1);
  if (const std::size_t second = rest.find('<'); second != std::string_view::npos) {  // a loop such as 0 <= i < 4
    const auto first = constant(name, names);
    if (!first) return bad(one, "expected a loop I < N, with N from 1 to 4096");
    begin = *first + (or_equal ? 0 : 1);
    name = trim(rest.substr(0, second));
    rest = rest.substr(second + 1);
    or_equal = rest.starts_with('=');
    if (or_equal) rest.remove_prefix(1);
  }
  const auto end = constant(trim(rest), names);
  if (!end || *end < 1 || *end > most_turns) return bad(one, "expected a loop I < N, with N from 1 to 4096");
  return make_loop(one, name, begin, *end + (or_equal ? 1 : 0), 1);
}

}  // namespace

result<cut_loop_text> cut_loops(std::string_view text, const expr::scope& names) {
  cut_loop_text cut{{}, trim(text)};
  for (std::size_t turns = 0; turns < 64; ++turns) {
    std::string_view& rest = cut.rest;
    if (rest.starts_with("#pragma")) {
      const std::size_t at = find_word(rest, "for");
      if (at == std::string_view::npos || rest.find('[') < at) {
        rest = trim(rest.substr(std::min(rest.find_first_of("\n\r"), rest.find("unroll") + 6)));
        continue;
      }
      rest = rest.substr(at);
    }
    if (!rest.starts_with("for") || (rest.size() > 3 && is_name_character(rest[3]))) break;
    const std::size_t open = rest.find_first_not_of(' ', 3);
    if (open == std::string_view::npos || rest[open] != '(') {  // a loop such as for k in range(4): s[k][t]
      const std::size_t colon = rest.find("):");
      if (colon == std::string_view::npos) return bad(rest, "expected an access");
      auto one = read_short_loop(trim(rest.substr(3, colon - 2)), names);
      if (!one) return one.error();
      cut.loops.push_back(std::move(*one));
      rest = trim(rest.substr(colon + 2));
      continue;
    }
    const std::size_t close = closing(rest, open);
    if (close == std::string_view::npos) return bad(rest, "expected ')' after the loop");
    auto one = read_c_loop(rest.substr(0, close + 1), rest.substr(open + 1, close - open - 1), names);
    if (!one) return one.error();
    cut.loops.push_back(std::move(*one));
    rest = trim(rest.substr(close + 1));
    if (rest.starts_with('{')) {
      rest = trim(rest.substr(1));
      if (rest.ends_with('}')) rest = trim(rest.substr(0, rest.size() - 1));
    }
  }
  const std::size_t at = find_word(cut.rest, "for");
  if (at == std::string_view::npos) return cut;
  std::string_view loops = trim(cut.rest.substr(at + 3));
  while (loops.ends_with(';')) loops = trim(loops.substr(0, loops.size() - 1));
  cut.rest = trim(cut.rest.substr(0, at));
  if (loops.starts_with('(') && loops.find(';') != std::string_view::npos) {
    for (;;) {
      const std::size_t close = closing(loops, 0);
      if (close == std::string_view::npos) return bad(loops, "expected ')' after the loop");
      auto one = read_c_loop(loops.substr(0, close + 1), loops.substr(1, close - 1), names);
      if (!one) return one.error();
      cut.loops.push_back(std::move(*one));
      loops = trim(loops.substr(close + 1));
      if (loops.starts_with(',')) loops = trim(loops.substr(1));
      if (loops.starts_with("for")) loops = trim(loops.substr(3));
      if (loops.empty()) return cut;
      if (!loops.starts_with('(')) return bad(loops, "expected a loop");
    }
  }
  for (std::string_view one : split_loop(loops, ',')) {
    if (one.starts_with("for ")) one = trim(one.substr(4));
    // Splits a text such as "for i < 4 for k < 8".
    for (std::size_t next = find_word(one, "for"); next != std::string_view::npos; next = find_word(one, "for")) {
      auto first = read_short_loop(trim(one.substr(0, next)), names);
      if (!first) return first.error();
      cut.loops.push_back(std::move(*first));
      one = trim(one.substr(next + 3));
    }
    auto l = read_short_loop(one, names);
    if (!l) return l.error();
    cut.loops.push_back(std::move(*l));
  }
  return cut;
}

}  // namespace bankwise::source
