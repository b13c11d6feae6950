#include "advise/index_range.hpp"

#include <algorithm>
#include <string_view>

namespace bankwise::advise {

namespace {

using maybe_range = std::optional<value_range>;

constexpr std::int64_t largest = std::int64_t{1} << 40;  // products of two of them are still numbers
constexpr int deepest_index = 24;                        // names that stand for names, and brackets
constexpr int most_names = 500;                          // looked up for one index, each in the whole source

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

// Of a number that is not negative. Of one that is not known, too: what is negative there is wrong in other ways.
maybe_range remainder(const maybe_range& a, const maybe_range& b) {
  if (!is_fixed(b) || b->least <= 0) return std::nullopt;
  if (a && a->least >= 0 && a->most < b->least) return a;
  return a && a->least < 0 ? limited(-(b->least - 1), b->least - 1) : limited(0, b->least - 1);
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

// One expression, by precedence climbing. `left`: how many brackets and names may still be inside one another.
class evaluation {
 public:
  evaluation(const source_reader& r, std::size_t from, const known_names& names, int left, int& lookups)
      : r_(r), t_(r.all()), from_(from), names_(names), left_(left), lookups_(lookups) {}

  maybe_range of(token_range tokens) {
    at_ = tokens.first;
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
    if (t_[name].is == source_token::kind::number) {
      const auto n = plain_number(t_[name].spelled);
      if (!n || *n > static_cast<std::uint64_t>(largest)) return std::nullopt;
      return maybe_range({static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*n)});
    }
    if (t_[name].is != source_token::kind::word) return fail();
    const std::string_view word = t_[name].spelled;
    if (is(".")) return member(word);
    if (is("(")) return call(word);
    if (is("[") || is("::") || is("->")) return skip_place();
    return of_name(name);
  }

  // threadIdx.x
  maybe_range member(std::string_view word) {
    const std::string_view side = at_ + 1 < end_ ? t_[at_ + 1].spelled : std::string_view();
    if ((word != "threadIdx" && word != "blockDim") || side.size() != 1 || side[0] < 'x' || side[0] > 'z')
      return skip_place();
    at_ += 2;
    const std::uint32_t threads = names_.block[static_cast<std::size_t>(side[0] - 'x')];
    if (threads == 0) return std::nullopt;
    return word == "blockDim" ? maybe_range({threads, threads}) : maybe_range({0, threads - 1});
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

  // x.y[i], of which nothing is known.
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

  // The variable of a loop, or a name that is given a value once.
  maybe_range of_name(std::size_t name) {
    const std::string_view word = t_[name].spelled;
    if (word == "warpSize") return maybe_range({32, 32});
    if (const auto known = names_.constants.find(word); known != names_.constants.end())
      return maybe_range({known->second, known->second});
    if (--lookups_ < 0) return std::nullopt;
    maybe_range value;
    bool is_set = false;
    for (std::size_t i = 1; i + 1 < t_.size(); ++i) {
      if (t_[i].spelled != word || t_[i].is != source_token::kind::word) continue;
      if (t_[i].of_directive) {
        if (t_[i - 1].spelled != "define" || is_set) continue;
        std::size_t last = i;
        while (last + 1 < t_.size() && t_[last + 1].of_directive && t_[last + 1].line == t_[i].line) ++last;
        if (last == i) continue;
        value = evaluation(r_, from_, names_, left_ - 1, lookups_).of({i + 1, last});
        is_set = true;
        continue;
      }
      const std::string_view before = t_[i - 1].spelled, after = t_[i + 1].spelled;
      const bool declares = t_[i - 1].is == source_token::kind::word && before != "return" && after == "=";
      const bool is_near = i > from_ || before == "int" || before == "unsigned";
      if (declares && is_near && i < name) {
        if (is_set && i < from_) continue;
        is_set = true;
        value = declared_value(i);
        continue;
      }
      if (i < from_ || i == name) continue;
      const bool changes = after == "=" || after == "++" || after == "--" || before == "++" || before == "--" ||
                           (after.size() >= 2 && after.ends_with('=') && after != "==" && after != "!=" &&
                            after != "<=" && after != ">=");
      if (changes && !is_in_loop_head(i)) return std::nullopt;
    }
    return is_set ? value : std::nullopt;
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

  // "= x" up to the comma or semicolon; the counter of a loop up to its end.
  maybe_range declared_value(std::size_t name) {
    std::size_t last = name + 2;
    while (last < t_.size() && t_[last].spelled != ";" && t_[last].spelled != ",") {
      if (t_[last].spelled == "(" || t_[last].spelled == "[" || t_[last].spelled == "{") last = closing(t_, last);
      if (last >= t_.size()) return std::nullopt;
      ++last;
    }
    if (last >= t_.size() || last == name + 2) return std::nullopt;
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

  // What a loop counts by, from the semicolon before: "++j", "j += 8".
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

  const source_reader& r_;
  const source_reader::tokens& t_;
  std::size_t from_ = 0;
  const known_names& names_;
  int left_ = 0;
  int& lookups_;
  std::size_t at_ = 0, end_ = 0;
};

}  // namespace

std::optional<value_range> range_of(const source_reader& r, token_range index, std::size_t from,
                                    const known_names& names) {
  int lookups = most_names;
  return evaluation(r, from, names, deepest_index, lookups).of(index);
}

}  // namespace bankwise::advise
