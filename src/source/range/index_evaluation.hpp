// Evaluates one index, by precedence climbing. index_evaluation.cpp reads the expression, name_range.cpp finds the
// values of names, and guarded_range.cpp applies the conditions around the index.
#pragma once

#include <initializer_list>
#include <string_view>

#include "source/range/index_range.hpp"
#include "source/range/value_range.hpp"

namespace bankwise::source {

// `left`: how much deeper brackets and names may nest. `lookups`: of names, in the whole source.
class index_evaluation {
 public:
  index_evaluation(const reader& r, std::size_t from, const known_names& names, int left, int& lookups)
      : r_(r), t_(r.all()), from_(from), names_(names), left_(left), lookups_(lookups) {}

  maybe_range of(token_range tokens);

 private:
  // The values of tokens within the expression, a name or bracket deeper.
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

  // (x), or (int)x
  maybe_range bracket();
  maybe_range named();

  // threadIdx.x
  maybe_range member(std::size_t name);

  // static_cast<int>(x); other functions are not known.
  maybe_range template_call(std::size_t name);
  maybe_range call(std::string_view word);

  // x.y[i], whose range is unknown.
  maybe_range skip_place();

  // The variable of a loop, a name that is given a value once, or a macro.
  maybe_range of_name(std::size_t name);

  // The range of all definitions of the macro. An operator next to the macro may split its text.
  maybe_range of_macro(std::size_t name);
  bool is_declared_as(std::size_t name, std::initializer_list<std::string_view> words) const;

  // Whether any code between two tokens may change the variable, except the head of the loop that declares it.
  bool changes_between(std::string_view word, std::size_t from, std::size_t to, std::size_t declared) const;

  // &x, int& y = x, asm("..." : "=r"(x)), f(x) with a reference
  bool is_handed_out(std::size_t i) const;

  // The part of the values that the code's conditions allow: if (x < 16) a[x + 16], x < 16 ? a[x] : 0. `place`: x, or
  // threadIdx.x.
  maybe_range guarded(const maybe_range& value, token_range place);
  // Its ":" is not before `at`.
  bool is_first_branch(std::size_t question, std::size_t at) const;
  std::size_t condition_before(std::size_t question, std::size_t outer) const;

  // Whether the whole text is one side of a comparison.
  bool binds_closer(token_range side) const;

  // Conditions that all hold: x < 16 && x > 2
  void narrow(token_range condition, token_range place, std::int64_t& least, std::int64_t& most);

  // Whether the token is between the brackets of a `for`.
  bool is_in_loop_head(std::size_t at) const;

  // "= x" up to the comma or semicolon, "(x)", "{x}"; the counter of a loop up to its end. A parameter has none.
  maybe_range declared_value(std::size_t name);

  // The values that all calls in this source pass for the parameter. Other sources may also call a kernel.
  maybe_range given(std::size_t parameter, std::size_t open);

  // The step of a loop, from the semicolon before: "++j", "j += 8".
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
