#include "source/index_range.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "source/index_text.hpp"

namespace bankwise::source {

namespace {

using maybe_range = std::optional<value_range>;

constexpr std::int64_t largest = std::int64_t{1} << 44;  // sums of two of them still fit
constexpr std::int64_t most_unsigned = (std::int64_t{1} << 32) - 1, most_blocks = (std::int64_t{1} << 31) - 1;
constexpr int deepest_index = 24;  // names that stand for names, and brackets
constexpr int deepest_guard = 12;  // how many brackets around an index are searched for conditions
constexpr int most_names = 500;    // how many names are looked up for one index, each in the whole source

maybe_range limited(std::int64_t a, std::int64_t b) {
  if (a > b) std::swap(a, b);
  return a < -largest || b > largest ? std::nullopt : maybe_range({a, b});
}

maybe_range sum(const maybe_range& a, const maybe_range& b, bool minus) {
  if (!a || !b) return std::nullopt;
  return minus ? limited(a->least - b->most, a->most - b->least) : limited(a->least + b->least, a->most + b->most);
}

maybe_range product(const maybe_range& a, const maybe_range& b) {
  constexpr std::int64_t root = std::int64_t{1} << 31;
  if (!a || !b) return std::nullopt;
  for (const std::int64_t x : {a->least, a->most, b->least, b->most})
    if (x < -root || x > root) return std::nullopt;
  const auto all = {a->least * b->least, a->least * b->most, a->most * b->least, a->most * b->most};
  return limited(std::min(all), std::max(all));
}

bool is_fixed(const maybe_range& x) { return x && x->least == x->most; }

maybe_range quotient(const maybe_range& a, const maybe_range& b) {
  if (!a || !is_fixed(b) || b->least <= 0) return std::nullopt;
  return limited(a->least / b->least, a->most / b->least);
}

// The remainder of a number that may be negative may also be negative.
maybe_range remainder(const maybe_range& a, const maybe_range& b) {
  if (!is_fixed(b) || b->least <= 0) return std::nullopt;
  if (a && a->least >= 0) return a->most < b->least ? a : limited(0, b->least - 1);
  return limited(-(b->least - 1), b->least - 1);
}

maybe_range masked(const maybe_range& a, const maybe_range& b) {
  const bool has_a = a && a->least >= 0, has_b = b && b->least >= 0;
  if (has_a && has_b) return limited(0, std::min(a->most, b->most));
  return has_b && is_fixed(b) ? limited(0, b->most) : has_a && is_fixed(a) ? limited(0, a->most) : std::nullopt;
}

// All bits below the highest of both.
maybe_range joined(const maybe_range& a, const maybe_range& b) {
  if (!a || !b || a->least < 0 || b->least < 0) return std::nullopt;
  std::int64_t all = 1;
  while (all <= std::max(a->most, b->most)) all *= 2;
  return limited(0, all - 1);
}

maybe_range shifted(const maybe_range& a, const maybe_range& b, bool left) {
  if (!a || !is_fixed(b) || b->least < 0 || b->least > 31 || a->least < 0) return std::nullopt;
  const std::int64_t by = std::int64_t{1} << b->least;
  return left ? product(a, maybe_range({by, by})) : limited(a->least / by, a->most / by);
}

maybe_range either(const maybe_range& a, const maybe_range& b) {
  if (!a || !b) return std::nullopt;
  return limited(std::min(a->least, b->least), std::max(a->most, b->most));
}

// One expression, by precedence climbing. `left`: how many nested brackets and names are still allowed.
class evaluation {
 public:
  evaluation(const reader& r, std::size_t from, const known_names& names, int left, int& lookups)
      : r_(r), t_(r.all()), from_(from), names_(names), left_(left), lookups_(lookups) {}

  maybe_range of(token_range tokens) {
    at_ = first_ = tokens.first;
    end_ = tokens.second + 1;
    if (left_ <= 0 || at_ >= end_) return std::nullopt;
    const maybe_range x = conditional();
    return at_ == end_ ? x : std::nullopt;
  }

 private:
  bool is(std::string_view s) const { return at_ < end_ && t_[at_].spelled == s; }
  bool take(std::string_view s) {
    if (!is(s)) return false;
    ++at_;
    return true;
  }

  maybe_range conditional() {
    const maybe_range x = binary(0);
    if (!take("?")) return x;
    const maybe_range yes = conditional();
    if (!take(":")) {
      at_ = end_ + 1;
      return std::nullopt;
    }
    return either(yes, conditional());
  }

  struct operation {
    std::string_view sign;
    int precedence;
  };
  static int precedence_of(std::string_view s) {
    static constexpr operation all[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
                                        {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
                                        {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};
    const auto* found = std::find_if(std::begin(all), std::end(all), [&](const operation& o) { return o.sign == s; });
    return found == std::end(all) ? 0 : found->precedence;
  }

  maybe_range binary(int above) {
    maybe_range x = prefixed();
    while (at_ < end_) {
      const std::string_view sign = t_[at_].spelled;
      const int precedence = precedence_of(sign);
      if (precedence <= above) break;
      ++at_;
      x = combined(sign, x, binary(precedence));
    }
    return x;
  }

  static maybe_range combined(std::string_view sign, const maybe_range& a, const maybe_range& b) {
    if (sign == "+" || sign == "-") return sum(a, b, sign == "-");
    if (sign == "*") return product(a, b);
    if (sign == "/") return quotient(a, b);
    if (sign == "%") return remainder(a, b);
    if (sign == "&") return masked(a, b);
    if (sign == "|" || sign == "^") return joined(a, b);
    if (sign == "<<" || sign == ">>") return shifted(a, b, sign == "<<");
    return maybe_range({0, 1});  // a comparison
  }

  maybe_range prefixed() {
    if (left_ <= 0) return fail();
    if (take("-")) return sum(maybe_range({0, 0}), prefixed(), true);
    if (take("+")) return prefixed();
    if (take("!")) {
      prefixed();
      return maybe_range({0, 1});
    }
    if (is("(")) return bracket();
    return named();
  }

  maybe_range fail() {
    at_ = end_ + 1;
    return std::nullopt;
  }

  // (x), or (int)x
  maybe_range bracket() {
    const std::size_t close = closing(t_, at_);
    if (close >= end_) return fail();
    bool is_cast = close > at_ + 1 && close + 1 < end_;
    for (std::size_t i = at_ + 1; i < close; ++i)
      is_cast &= t_[i].spelled == "int" || t_[i].spelled == "unsigned" || t_[i].spelled == "size_t" ||
                 t_[i].spelled == "long" || t_[i].spelled == "uint32_t" || t_[i].spelled == "int32_t";
    if (is_cast) {
      at_ = close + 1;
      return prefixed();
    }
    const maybe_range x = evaluation(r_, from_, names_, left_ - 1, lookups_).of({at_ + 1, close - 1});
    at_ = close + 1;
    return x;
  }

  maybe_range named() {
    if (at_ >= end_) return fail();
    const std::size_t name = at_++;
    if (t_[name].is == token::kind::number) {
      const auto n = plain_number(t_[name].spelled);
      if (!n || *n > static_cast<std::uint64_t>(largest)) return std::nullopt;
      return maybe_range({static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*n)});
    }
    if (t_[name].is != token::kind::word) return fail();
    const std::string_view word = t_[name].spelled;
    if (is(".")) return member(name);
    if (is("<") && r_.bracket_behind(name) < end_) return template_call(name);
    if (is("(")) return call(word);
    if (is("[") || is("::") || is("->")) return skip_place();
    return of_name(name);
  }

  // threadIdx.x
  maybe_range member(std::size_t name) {
    const std::string_view word = t_[name].spelled;
    const std::string_view side = at_ + 1 < end_ ? t_[at_ + 1].spelled : std::string_view();
    const bool is_place = word == "blockIdx" || word == "gridDim";
    if ((word != "threadIdx" && word != "blockDim" && !is_place) || side.size() != 1 || side[0] < 'x' || side[0] > 'z')
      return skip_place();
    at_ += 2;
    if (is_place) return maybe_range({word == "gridDim" ? 1 : 0, most_blocks});
    const std::uint32_t threads = names_.block[static_cast<std::size_t>(side[0] - 'x')];
    if (word == "blockDim") return threads == 0 ? std::nullopt : maybe_range({threads, threads});
    return guarded(threads == 0 ? std::nullopt : maybe_range({0, threads - 1}), {name, name + 2});
  }

  // static_cast<int>(x); other functions are not known.
  maybe_range template_call(std::size_t name) {
    const std::size_t open = r_.bracket_behind(name), close = closing(t_, open);
    if (close >= end_ || close <= open + 1) return fail();
    at_ = close + 1;
    const std::string_view type = t_[name + 2].spelled;
    const bool keeps = type == "int" || type == "unsigned" || type == "size_t" || type == "long" ||
                       type == "uint32_t" || type == "int32_t";
    if (t_[name].spelled != "static_cast" || !keeps) return std::nullopt;
    return evaluation(r_, from_, names_, left_ - 1, lookups_).of({open + 1, close - 1});
  }

  maybe_range call(std::string_view word) {
    const std::size_t open = at_, close = closing(t_, open);
    if (close >= end_) return fail();
    at_ = close + 1;
    const auto list = r_.list_in(open);
    if ((word != "min" && word != "max") || list.size() != 2) return std::nullopt;
    const maybe_range a = evaluation(r_, from_, names_, left_ - 1, lookups_).of(list[0]),
                      b = evaluation(r_, from_, names_, left_ - 1, lookups_).of(list[1]);
    if (!a || !b) return std::nullopt;
    return word == "min" ? limited(std::min(a->least, b->least), std::min(a->most, b->most))
                         : limited(std::max(a->least, b->least), std::max(a->most, b->most));
  }

  // x.y[i], whose range is not known.
  maybe_range skip_place() {
    while (at_ < end_) {
      if (is("[") || is("(")) {
        const std::size_t close = closing(t_, at_);
        if (close >= end_) return fail();
        at_ = close + 1;
      } else if (is(".") || is("->") || is("::")) {
        at_ += 2;
      } else {
        break;
      }
    }
    return std::nullopt;
  }

  // The variable of a loop, a name that is given a value once, or a macro.
  maybe_range of_name(std::size_t name) {
    const std::string_view word = t_[name].spelled;
    if (word == "warpSize") return maybe_range({32, 32});
    if (--lookups_ < 0) return std::nullopt;
    std::size_t declared = 0;
    for (std::size_t i = 1; i < name; ++i)
      if (t_[i].spelled == word && r_.is_declared_at(i) && r_.scope_end(i) > name) declared = i;
    if (const auto known = names_.constants.find(word); known != names_.constants.end() && declared <= from_)
      return maybe_range({known->second, known->second});
    if (declared == 0) return guarded(of_macro(name), {name, name});
    const bool is_constant = is_declared_as(declared, {"const", "constexpr"});
    maybe_range value;
    if (is_constant || !changes_between(word, declared + 1, r_.scope_end(declared), declared))
      value = declared_value(declared);
    if (!value && is_declared_as(declared, {"unsigned", "size_t", "uint32_t", "uint16_t", "uint8_t", "uint"}))
      value = maybe_range({0, most_unsigned});
    return guarded(value, {name, name});
  }

  // The range of all definitions of the macro. An operator next to the macro may split its text.
  maybe_range of_macro(std::size_t name) {
    maybe_range value;
    bool is_set = false;
    for (std::size_t i = 2; i + 1 < t_.size(); ++i) {
      if (t_[i].spelled != t_[name].spelled || !t_[i].of_directive || t_[i - 1].spelled != "define") continue;
      std::size_t last = i;
      while (last + 1 < t_.size() && t_[last + 1].of_directive && t_[last + 1].spelled != "#") ++last;
      const bool is_alone = first_ == name && end_ == name + 1;
      if (last == i || (!is_alone && !is_operand(r_, {i + 1, last}))) return std::nullopt;
      // Names in the macro belong to the place where it is used, which is not searched.
      for (std::size_t k = i + 1; k <= last; ++k)
        if (t_[k].is == token::kind::word && t_[k].spelled != "threadIdx" && t_[k - 1].spelled != "." &&
            r_.is_declared_in_block(t_[k].spelled))
          return std::nullopt;
      const maybe_range one = evaluation(r_, from_, names_, left_ - 1, lookups_).of({i + 1, last});
      value = is_set ? either(value, one) : one;
      is_set = true;
    }
    return value;
  }

  bool is_declared_as(std::size_t name, std::initializer_list<std::string_view> words) const {
    for (std::size_t i = name; i-- > 0;) {
      if (t_[i].is != token::kind::word || t_[i].of_directive) return false;
      if (std::find(words.begin(), words.end(), t_[i].spelled) != words.end()) return true;
    }
    return false;
  }

  // Whether any code between two tokens may change the variable, except the head of the loop that declares it.
  bool changes_between(std::string_view word, std::size_t from, std::size_t to, std::size_t declared) const {
    for (std::size_t i = std::max<std::size_t>(from, 3); i < std::min(to, t_.size() - 1); ++i) {
      if (t_[i].spelled != word || t_[i].is != token::kind::word || r_.is_declared_at(i)) continue;
      const std::string_view before = t_[i - 1].spelled, after = t_[i + 1].spelled;
      if (before == "." || before == "->" || before == "::") continue;
      const bool assigns = after == "=" || after == "++" || after == "--" || before == "++" || before == "--" ||
                           (after.size() >= 2 && after.ends_with('=') && after != "==" && after != "!=" &&
                            after != "<=" && after != ">=");
      const bool is_own_loop = declared != 0 && r_.around(i) == r_.around(declared) && is_in_loop_head(declared);
      if ((assigns && !is_own_loop) || is_handed_out(i)) return true;
    }
    return false;
  }

  // &x, int& y = x, asm("..." : "=r"(x)), f(x) with a reference
  bool is_handed_out(std::size_t i) const {
    const std::string_view before = t_[i - 1].spelled;
    const token& earlier = t_[i - 2];
    if (before == "&")
      return !(earlier.is == token::kind::word || earlier.is == token::kind::number || earlier.spelled == ")" ||
               earlier.spelled == "]") ||
             earlier.spelled == "return";
    if (before == "=" && (t_[i - 3].spelled == "&" || t_[i - 3].spelled == "&&")) return true;
    if (before == "(" && earlier.is == token::kind::text)
      return earlier.spelled.starts_with("\"=") || earlier.spelled.starts_with("\"+");
    if ((before != "(" && before != ",") || (t_[i + 1].spelled != ")" && t_[i + 1].spelled != ",")) return false;
    const auto [name, open] = r_.call_around(i);
    if (name == 0) return false;
    const auto argument = r_.argument_at(open, i, i);
    if (!argument) return false;
    for (const function& f : r_.functions(t_[name].spelled, r_.list_in(open).size())) {
      const auto [first, last] = f.parameters[*argument];
      for (std::size_t k = first; k <= last; ++k)
        if (t_[k].spelled == "&" || t_[k].spelled == "&&") return true;
    }
    return false;
  }

  // The part of the values that the code's conditions allow: if (x < 16) a[x + 16], x < 16 ? a[x] : 0. `place`: x, or
  // threadIdx.x.
  maybe_range guarded(const maybe_range& value, token_range place) {
    std::int64_t least = value ? value->least : -largest - 1, most = value ? value->most : largest + 1;
    std::size_t at = place.first;
    for (int depth = 0; depth < deepest_guard; ++depth) {
      const std::size_t outer = r_.around(at);
      // Backwards to where the statement begins, or the bracket.
      for (std::size_t i = at; i-- > outer + 1;) {
        const std::string_view s = t_[i].spelled;
        if (s == ";" || s == "{" || s == "}" || t_[i].of_directive) break;
        if (s == "?" && is_first_branch(i, at)) narrow({condition_before(i, outer), i - 1}, place, least, most);
        if (s != ")" && s != "]") continue;
        const std::size_t open = r_.around(i);
        if (open >= i) break;
        if (s == ")" && open > 0 && t_[open - 1].spelled == "if") narrow({open + 1, i - 1}, place, least, most);
        i = open;
      }
      if (outer == reader::outside) break;
      if (t_[outer].spelled == "{" && outer > 2 && t_[outer - 1].spelled == ")") {
        const std::size_t open = r_.around(outer - 1);
        if (open < outer && open > 0 && t_[open - 1].spelled == "if") narrow({open + 1, outer - 2}, place, least, most);
      }
      at = outer;
    }
    return least > most || least < -largest || most > largest ? std::nullopt : maybe_range({least, most});
  }
  // Its ":" is not before `at`.
  bool is_first_branch(std::size_t question, std::size_t at) const {
    for (std::size_t i = question + 1; i < at; ++i) {
      if (t_[i].spelled == ":" || t_[i].spelled == "?" || t_[i].spelled == ",") return false;
      if (t_[i].spelled == "(" || t_[i].spelled == "[") i = std::min(closing(t_, i), at);
    }
    return true;
  }
  std::size_t condition_before(std::size_t question, std::size_t outer) const {
    std::size_t i = question;
    while (i > outer + 1) {
      const std::string_view s = t_[i - 1].spelled;
      if (s == "=" || s == "," || s == ";" || s == "{" || s == "}" || s == "return" || s == "?" || s == ":") break;
      if (s.size() >= 2 && s.ends_with('=') && s != "==" && s != "!=" && s != "<=" && s != ">=") break;
      --i;
      if ((s == ")" || s == "]") && r_.around(i) < i) i = r_.around(i);
    }
    return i;
  }

  // Whether all of it is one side of a comparison.
  bool binds_closer(token_range side) const {
    for (std::size_t i = side.first; i <= side.second; ++i) {
      const int precedence = precedence_of(t_[i].spelled);
      if (precedence != 0 && precedence <= precedence_of("<")) return false;
      if (t_[i].spelled == "=" || t_[i].spelled == "!") return false;
      if (t_[i].spelled == "(" || t_[i].spelled == "[") i = closing(t_, i);
    }
    return true;
  }

  // Conditions that hold together: x < 16 && x > 2
  void narrow(token_range condition, token_range place, std::int64_t& least, std::int64_t& most) {
    if (condition.first > condition.second || left_ <= 1 || --lookups_ < 0) return;
    std::size_t from = condition.first;
    std::vector<token_range> all;
    for (std::size_t i = condition.first; i <= condition.second + 1; ++i) {
      if (i <= condition.second && (t_[i].spelled == "||" || t_[i].spelled == "?" || t_[i].spelled == ",")) return;
      if (i == condition.second + 1 || t_[i].spelled == "&&") {
        if (i > from) all.emplace_back(from, i - 1);
        from = i + 1;
      } else if (t_[i].spelled == "(" || t_[i].spelled == "[") {
        i = closing(t_, i);
      }
    }
    if (changes_between(t_[place.first].spelled, condition.first, place.first, 0)) return;
    const std::size_t words = place.second - place.first;
    for (const auto& [first, last] : all) {
      const auto is_place = [&](std::size_t at) {
        for (std::size_t k = 0; k <= words; ++k)
          if (t_[at + k].spelled != t_[place.first + k].spelled) return false;
        return true;
      };
      if (last < first + words + 2) continue;
      const bool is_left = is_place(first), is_right = is_place(last - words);
      const std::size_t sign = is_left ? first + words + 1 : last - words - 1;
      if ((!is_left && !is_right) || (is_left && r_.around(first) != r_.around(sign))) continue;
      std::string_view s = t_[sign].spelled;
      const token_range other = is_left ? token_range{sign + 1, last} : token_range{first, sign - 1};
      if ((s != "<" && s != "<=" && s != ">" && s != ">=" && s != "==") || !binds_closer(other)) continue;
      const maybe_range limit = evaluation(r_, from_, names_, left_ - 1, lookups_).of(other);
      if (!limit) continue;
      const bool below = is_left ? s[0] == '<' : s[0] == '>';
      const std::int64_t open = s == "<" || s == ">" ? 1 : 0;
      if (below || s == "==") most = std::min(most, limit->most - open);
      if (!below || s == "==") least = std::max(least, limit->least + open);
    }
  }

  // Whether the token is between the brackets of a `for`.
  bool is_in_loop_head(std::size_t at) const {
    int depth = 0;
    for (std::size_t i = at; i-- > 1;) {
      const std::string_view s = t_[i].spelled;
      if (s == "{" || s == "}") return false;
      if (s == ")") ++depth;
      if (s == "(" && depth-- == 0) return t_[i - 1].spelled == "for";
    }
    return false;
  }

  // "= x" up to the comma or semicolon, "(x)", "{x}"; the counter of a loop up to its end. A parameter has none.
  maybe_range declared_value(std::size_t name) {
    const std::size_t outer = r_.around(name);
    if (outer != reader::outside && t_[outer].spelled == "(" && !is_in_loop_head(name)) return given(name, outer);
    const std::string_view opens = t_[name + 1].spelled;
    if (opens == "(" || opens == "{") {
      const std::size_t close = closing(t_, name + 1);
      if (close >= t_.size() || close == name + 2 || is_in_loop_head(name)) return std::nullopt;
      return evaluation(r_, from_, names_, left_ - 1, lookups_).of({name + 2, close - 1});
    }
    if (opens != "=" || t_[name - 1].spelled == "&" || t_[name - 1].spelled == "*") return std::nullopt;
    std::size_t last = name + 2;
    while (last < t_.size() && t_[last].spelled != ";" && t_[last].spelled != "," && t_[last].spelled != ")") {
      if (t_[last].spelled == "(" || t_[last].spelled == "[" || t_[last].spelled == "{") last = closing(t_, last);
      if (last >= t_.size()) return std::nullopt;
      ++last;
    }
    // "int x = 3)" may be an argument that a call omits.
    if (last >= t_.size() || last == name + 2 || t_[last].spelled == ")") return std::nullopt;
    const maybe_range begin = evaluation(r_, from_, names_, left_ - 1, lookups_).of({name + 2, last - 1});
    if (!is_in_loop_head(name)) return begin;
    if (t_[last].spelled != ";" || t_[last + 1].spelled != t_[name].spelled) return std::nullopt;
    const std::string_view sign = t_[last + 2].spelled;
    std::size_t stop = last + 3;
    while (stop < t_.size() && t_[stop].spelled != ";") {
      if (t_[stop].spelled == "&&" || t_[stop].spelled == "||" || t_[stop].spelled == "{") return std::nullopt;
      ++stop;
    }
    if (stop >= t_.size() || stop == last + 3) return std::nullopt;
    const maybe_range end = evaluation(r_, from_, names_, left_ - 1, lookups_).of({last + 3, stop - 1});
    if (!begin || !end) return std::nullopt;
    if (sign == "!=" && !step_after(stop, t_[name].spelled)) return std::nullopt;
    if (sign == "<" || sign == "!=" || sign == "<=") {
      const std::int64_t limit = std::max(begin->least, end->most - (sign == "<=" ? 0 : 1));
      // "j += 8" from a known start ends before the limit.
      const maybe_range step = step_after(stop, t_[name].spelled);
      const bool is_known = is_fixed(begin) && is_fixed(step) && step->least > 0;
      return limited(begin->least, is_known ? limit - (limit - begin->least) % step->least : limit);
    }
    if (sign == ">") return limited(std::min(end->least + 1, begin->most), begin->most);
    if (sign == ">=") return limited(std::min(end->least, begin->most), begin->most);
    return std::nullopt;
  }

  // The values that all calls in this source pass for the parameter. Other sources may also call a kernel.
  maybe_range given(std::size_t parameter, std::size_t open) {
    const auto parameters = r_.list_in(open);
    const auto at = std::find_if(parameters.begin(), parameters.end(),
                                 [&](const token_range& p) { return p.first <= parameter && parameter <= p.second; });
    const std::size_t name = open - 1;
    if (open < 2 || t_[name].is != token::kind::word || at == parameters.end()) return std::nullopt;
    for (std::size_t i = name; i-- > 0 && t_[i].is == token::kind::word && !t_[i].of_directive;)
      if (t_[i].spelled == "__global__") return std::nullopt;
    const auto index = static_cast<std::size_t>(at - parameters.begin());
    maybe_range value;
    bool is_set = false;
    for (std::size_t i = 1; i + 1 < t_.size(); ++i) {
      if (t_[i].spelled != t_[name].spelled || t_[i].is != token::kind::word || i == name) continue;
      const std::size_t called = r_.bracket_behind(i);
      if (called >= t_.size() || t_[i].of_directive || --lookups_ < 0) return std::nullopt;
      const auto list = r_.list_in(called);
      if (list.size() != parameters.size()) return std::nullopt;
      const maybe_range one = evaluation(r_, from_, names_, left_ - 1, lookups_).of(list[index]);
      if (!one) return std::nullopt;
      value = is_set ? either(value, one) : one;
      is_set = true;
    }
    return value;
  }

  // The step of a loop, from the semicolon before: "++j", "j += 8".
  maybe_range step_after(std::size_t semicolon, std::string_view counter) {
    const std::string_view first = t_[semicolon + 1].spelled, second = t_[semicolon + 2].spelled;
    if (first == "++" || second == "++") return maybe_range({1, 1});
    if (first != counter || second != "+=") return std::nullopt;
    std::size_t last = semicolon + 3;
    for (int depth = 0; last < t_.size(); ++last) {
      if (t_[last].spelled == "(") ++depth;
      if (t_[last].spelled == ")" && depth-- == 0) break;
      if (t_[last].spelled == ";" || t_[last].spelled == "{" || t_[last].spelled == ",") return std::nullopt;
    }
    return evaluation(r_, from_, names_, left_ - 1, lookups_).of({semicolon + 3, last - 1});
  }

  const reader& r_;
  const reader::tokens& t_;
  std::size_t from_ = 0;
  const known_names& names_;
  int left_ = 0;
  int& lookups_;
  std::size_t first_ = 0, at_ = 0, end_ = 0;
};

}  // namespace

std::optional<value_range> range_of(const reader& r, token_range index, std::size_t from, const known_names& names) {
  int lookups = most_names;
  return evaluation(r, from, names, deepest_index, lookups).of(index);
}

}  // namespace bankwise::source
