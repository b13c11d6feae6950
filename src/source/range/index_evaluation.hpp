// Evaluates one index, by precedence climbing. index_evaluation.cpp reads the expression. name_range.cpp finds the
// values of names. guarded_range.cpp applies the conditions around the index.
#pragma once

#include <initializer_list>
#include <string_view>

#include "source/range/index_range.hpp"
#include "source/range/value_range.hpp"

namespace bankwise::source {

// `left` is the number of further levels of brackets and names that may be entered. `lookups` counts all look-ups of
// names in the source.
class index_evaluation {
 public:
  index_evaluation(const reader& r, std::size_t from, const known_names& names, int left, int& lookups)
      : r_(r), t_(r.all()), from_(from), names_(names), left_(left), lookups_(lookups) {}

  maybe_range of(token_range tokens);

 private:
  // Evaluates a part of the expression, one level deeper.
  maybe_range inner(token_range tokens) const {
    return index_evaluation(r_, from_, names_, left_ - 1, lookups_).of(tokens);
  }
  bool is(std::string_view s) const { return at_ < end_ && t_[at_].spelled == s; }
  bool take(std::string_view s) {
    if (!is(s)) return false;
    ++at_;
    return true;
  }

  maybe_range conditional();
  static int precedence_of(std::string_view s);
  maybe_range binary(int above);
  static maybe_range combined(std::string_view sign, const maybe_range& a, const maybe_range& b);
  maybe_range prefixed();

  maybe_range fail() {
    at_ = end_ + 1;
    return std::nullopt;
  }

  // Evaluates (x) or (int)x.
  maybe_range bracket();
  maybe_range named();

  // Evaluates members such as threadIdx.x.
  maybe_range member(std::size_t name);

  // Evaluates static_cast<int>(x). The values of other functions are unknown.
  maybe_range template_call(std::size_t name);
  maybe_range call(std::string_view word);

  // Skips an expression such as x.y[i], whose range is unknown.
  maybe_range skip_place();

  // Returns the values of a name: a loop variable, a variable that is assigned only once, or a macro.
  maybe_range of_name(std::size_t name);

  // Returns the range over all definitions of a macro. The range is unknown if an operator next to the macro may split
  // the macro's text.
  maybe_range of_macro(std::size_t name);
  bool is_declared_as(std::size_t name, std::initializer_list<std::string_view> words) const;

  // Whether code between two tokens may change a variable. The head of the loop that declares the variable is ignored.
  bool changes_between(std::string_view word, std::size_t from, std::size_t to, std::size_t declared) const;

  // Whether other code gets access to a variable: &x, int& y = x, asm("..." : "=r"(x)), or f(x) with a reference.
  bool is_handed_out(std::size_t i) const;

  // Returns the part of a range that the conditions in the code allow: if (x < 16) a[x + 16], x < 16 ? a[x] : 0.
  // `place` is the variable x, or a member such as threadIdx.x.
  maybe_range guarded(const maybe_range& value, token_range place);
  // Whether the token `at` is between a "?" and the matching ":".
  bool is_first_branch(std::size_t question, std::size_t at) const;
  std::size_t condition_before(std::size_t question, std::size_t outer) const;

  // Whether the tokens are a complete side of a comparison.
  bool binds_closer(token_range side) const;

  // Applies several conditions that are all true: x < 16 && x > 2.
  void narrow(token_range condition, token_range place, std::int64_t& least, std::int64_t& most);

  // Whether the token is in the brackets of a `for`.
  bool is_in_loop_head(std::size_t at) const;

  // Returns the range of a variable's initial value: "= x" up to the comma or semicolon, "(x)", or "{x}". For a loop
  // counter, returns all values until the end of the loop. A parameter has no initial value.
  maybe_range declared_value(std::size_t name);

  // Returns the values of a parameter in all calls of this source. For a kernel, they are unknown, because other
  // sources may call the kernel.
  maybe_range given(std::size_t parameter, std::size_t open);

  // Returns the step of a loop: "++j", "j += 8". `semicolon` is the semicolon before the step.
  maybe_range step_after(std::size_t semicolon, std::string_view counter);

  const reader& r_;
  const reader::tokens& t_;
  std::size_t from_ = 0;
  const known_names& names_;
  int left_ = 0;
  int& lookups_;
  std::size_t first_ = 0, at_ = 0, end_ = 0;
};

}  // namespace bankwise::source
