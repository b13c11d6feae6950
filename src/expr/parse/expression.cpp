// Computes the value of an expression's tree in one lane. The depth of the recursion is the height of the tree, which
// the parser limits.
#include "expr/parse/expression.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "expr/parse/expression_tree.hpp"

namespace bankwise::expr {

namespace {

using int64_limits = std::numeric_limits<std::int64_t>;

// Evaluates a tree in one lane, and keeps the first error.
struct evaluation {
  const std::vector<node>& nodes;
  const scope& names;
  std::uint32_t lane;
  const std::string& text;
  const std::string what;
  const std::vector<result<std::int64_t>>& variables;
  std::optional<diagnostic> error;
  bool out_of_bounds = false;

  std::int64_t fail(const node& n, const std::string& message) {
    if (!error) error = error_at(what, text, n.column, 1, formatted("{} in lane {}", message, names.first_lane + lane));
    return 0;
  }

  std::uint64_t tid() const { return std::uint64_t{names.warp} * names.warp_lanes + names.first_lane + lane; }

  std::int64_t thread(std::int64_t axis) const {
    const std::uint64_t linear = tid();
    const std::uint64_t x = names.block[0], y = names.block[1];
    return static_cast<std::int64_t>(axis == 0 ? linear % x : axis == 1 ? linear / x % y : linear / x / y);
  }

  std::int64_t divide(const node& n, std::int64_t a, std::int64_t b) {
    if (b == 0)
      return fail(n, n.code == op::divide ? "the expression divides by zero"
                                          : "the expression computes the remainder of a "
                                            "division by zero");
    if (a == int64_limits::min() && b == -1) return fail(n, "overflow");
    return n.code == op::divide ? a / b : a % b;
  }

  std::int64_t shift(const node& n, std::int64_t a, std::int64_t b) {
    if (b < 0 || b > 62) return fail(n, formatted("a shift by {} bits is not possible", b));
    if (n.code == op::shift_right) return a >> b;
    std::int64_t r = 0;
    if (__builtin_mul_overflow(a, std::int64_t{1} << b, &r)) return fail(n, "overflow");
    return r;
  }

  std::int64_t of(std::uint32_t index) {
    const node& n = nodes[index];
    if (error) return 0;
    std::int64_t r = 0;
    switch (n.code) {
      case op::number: return n.number;
      case op::lane: return names.first_lane + lane;
      case op::warp: return names.warp;
      case op::tid: return static_cast<std::int64_t>(tid());
      case op::variable: {
        const result<std::int64_t>& v = variables[static_cast<std::size_t>(n.number)];
        if (v) return *v;
        error = v.error();
        return 0;
      }
      case op::thread: return thread(n.number);
      case op::negate: return __builtin_sub_overflow(std::int64_t{0}, of(n.a), &r) ? fail(n, "overflow") : r;
      case op::complement: return ~of(n.a);
      case op::logical_not: return of(n.a) == 0;
      case op::absolute: {
        const std::int64_t a = of(n.a);
        return a == int64_limits::min() ? fail(n, "overflow") : a < 0 ? -a : a;
      }
      case op::reverse_bits: {
        std::uint32_t bits = static_cast<std::uint32_t>(of(n.a)), reversed = 0;
        for (int i = 0; i < 32; ++i, bits >>= 1) reversed = reversed << 1 | (bits & 1);
        return reversed;
      }
      case op::first_set: return std::countr_zero(static_cast<std::uint64_t>(of(n.a))) % 64 + (of(n.a) != 0 ? 1 : 0);
      case op::count_ones: return std::popcount(static_cast<std::uint32_t>(of(n.a)));
      case op::leading_zeros: return std::countl_zero(static_cast<std::uint32_t>(of(n.a)));
      case op::logical_and: return of(n.a) != 0 && of(n.b) != 0;
      case op::logical_or: return of(n.a) != 0 || of(n.b) != 0;
      case op::choose: return of(n.a) != 0 ? of(n.b) : of(n.c);
      default: break;
    }
    const std::int64_t a = of(n.a), b = of(n.b);
    switch (n.code) {
      case op::element: {
        if (b < 0 || static_cast<std::uint64_t>(b) >= n.extent) out_of_bounds = true;
        std::int64_t step = 0;
        if (__builtin_mul_overflow(b, n.number, &step) || __builtin_add_overflow(a, step, &r))
          return fail(n, "overflow");
        return r;
      }
      case op::multiply: return __builtin_mul_overflow(a, b, &r) ? fail(n, "overflow") : r;
      case op::add: return __builtin_add_overflow(a, b, &r) ? fail(n, "overflow") : r;
      case op::subtract: return __builtin_sub_overflow(a, b, &r) ? fail(n, "overflow") : r;
      case op::divide:
      case op::remainder: return divide(n, a, b);
      case op::shift_left:
      case op::shift_right: return shift(n, a, b);
      case op::less: return a < b;
      case op::less_equal: return a <= b;
      case op::greater: return a > b;
      case op::greater_equal: return a >= b;
      case op::equal: return a == b;
      case op::not_equal: return a != b;
      case op::bit_and: return a & b;
      case op::bit_xor: return a ^ b;
      case op::bit_or: return a | b;
      case op::minimum: return a < b ? a : b;
      case op::maximum: return a > b ? a : b;
      default: return 0;
    }
  }
};

}  // namespace

result<value> expression::evaluate(std::uint32_t lane) const {
  // Variables are evaluated first, in order. An error in a variable matters only if the expression uses the variable.
  std::size_t used = 0;
  for (const node& n : *nodes_)
    if (n.code == op::variable) used = std::max(used, static_cast<std::size_t>(n.number) + 1);
  std::vector<result<std::int64_t>> variables;
  for (std::size_t i = 0; i < used; ++i) {
    const variable& v = scope_.variables[i];
    evaluation e{*v.nodes, scope_, lane, v.text, formatted("{} {}", worded(setting::let), v.name), variables, {}};
    const std::int64_t number = e.of(v.root);
    variables.push_back(e.error ? result<std::int64_t>(*e.error) : result<std::int64_t>(number));
  }
  evaluation e{*nodes_, scope_, lane, text_, what_, variables, {}};
  const std::int64_t number = e.of(root_);
  if (e.error) return *e.error;
  return value{number, (*nodes_)[root_].element_bytes, (*nodes_)[root_].pieces, e.out_of_bounds};
}

}  // namespace bankwise::expr
