#include "source/range/index_evaluation.hpp"

#include <algorithm>

#include "source/index_text.hpp"

namespace bankwise::source {

constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;

maybe_range index_evaluation::of(token_range tokens) {
  at_ = first_ = tokens.first;
  end_ = tokens.second + 1;
  if (left_ <= 0 || at_ >= end_) return std::nullopt;
  const maybe_range x = conditional();
  return at_ == end_ ? x : std::nullopt;
}

maybe_range index_evaluation::conditional() {
  const maybe_range x = binary(0);
  if (!take("?")) return x;
  const maybe_range yes = conditional();
  if (!take(":")) {
    at_ = end_ + 1;
    return std::nullopt;
  }
  return either(yes, conditional());
}

int index_evaluation::precedence_of(std::string_view s) {
  struct operation {
    std::string_view sign;
    int precedence;
  };
  static constexpr operation all[] = {{"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},  {"<<", 8},
                                      {">>", 8}, {"<", 7},  {">", 7},  {"<=", 7}, {">=", 7}, {"==", 6},
                                      {"!=", 6}, {"&", 5},  {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}};
  const auto* found = std::find_if(std::begin(all), std::end(all), [&](const operation& o) { return o.sign == s; });
  return found == std::end(all) ? 0 : found->precedence;
}

maybe_range index_evaluation::binary(int above) {
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

maybe_range index_evaluation::combined(std::string_view sign, const maybe_range& a, const maybe_range& b) {
  if (sign == "+" || sign == "-") return sum(a, b, sign == "-");
  if (sign == "*") return product(a, b);
  if (sign == "/") return quotient(a, b);
  if (sign == "%") return remainder(a, b);
  if (sign == "&") return masked(a, b);
  if (sign == "|" || sign == "^") return joined(a, b);
  if (sign == "<<" || sign == ">>") return shifted(a, b, sign == "<<");
  return maybe_range({0, 1});  // a comparison is 0 or 1
}

maybe_range index_evaluation::prefixed() {
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

maybe_range index_evaluation::bracket() {
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
  const maybe_range x = inner({at_ + 1, close - 1});
  at_ = close + 1;
  return x;
}

maybe_range index_evaluation::named() {
  if (at_ >= end_) return fail();
  const std::size_t name = at_++;
  if (t_[name].is == token::kind::number) {
    const auto n = plain_number(t_[name].spelled);
    if (!n || *n > static_cast<std::uint64_t>(largest_value)) return std::nullopt;
    return maybe_range({static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*n)});
  }
  if (t_[name].is != token::kind::word) return fail();
  const std::string_view word = t_[name].spelled;
  if (is(".")) return member(name);
  if (is("<") && r_.bracket_after(name) < end_) return template_call(name);
  if (is("(")) return call(word);
  if (is("[") || is("::") || is("->")) return skip_place();
  return of_name(name);
}

maybe_range index_evaluation::member(std::size_t name) {
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

maybe_range index_evaluation::template_call(std::size_t name) {
  const std::size_t open = r_.bracket_after(name), close = closing(t_, open);
  if (close >= end_ || close <= open + 1) return fail();
  at_ = close + 1;
  const std::string_view type = t_[name + 2].spelled;
  const bool keeps = type == "int" || type == "unsigned" || type == "size_t" || type == "long" || type == "uint32_t" ||
                     type == "int32_t";
  if (t_[name].spelled != "static_cast" || !keeps) return std::nullopt;
  return inner({open + 1, close - 1});
}

maybe_range index_evaluation::call(std::string_view word) {
  const std::size_t open = at_, close = closing(t_, open);
  if (close >= end_) return fail();
  at_ = close + 1;
  const auto list = r_.list_in(open);
  if ((word != "min" && word != "max") || list.size() != 2) return std::nullopt;
  const maybe_range a = inner(list[0]), b = inner(list[1]);
  if (!a || !b) return std::nullopt;
  return word == "min" ? limited(std::min(a->least, b->least), std::min(a->most, b->most))
                       : limited(std::max(a->least, b->least), std::max(a->most, b->most));
}

maybe_range index_evaluation::skip_place() {
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

}  // namespace bankwise::source
