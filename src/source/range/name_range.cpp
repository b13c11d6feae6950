// Finds the values of a name: a loop variable, a variable that is assigned only once, a macro, or a parameter.
#include "source/range/index_evaluation.hpp"

#include <algorithm>

#include "source/index_text.hpp"

namespace bankwise::source {

constexpr std::int64_t most_unsigned = (std::int64_t{1} << 32) - 1;

maybe_range index_evaluation::of_name(std::size_t name) {
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

maybe_range index_evaluation::of_macro(std::size_t name) {
  maybe_range value;
  bool is_set = false;
  for (std::size_t i = 2; i + 1 < t_.size(); ++i) {
    if (t_[i].spelled != t_[name].spelled || !t_[i].of_directive || t_[i - 1].spelled != "define") continue;
    std::size_t last = i;
    while (last + 1 < t_.size() && t_[last + 1].of_directive && t_[last + 1].spelled != "#") ++last;
    const bool is_alone = first_ == name && end_ == name + 1;
    if (last == i || (!is_alone && !is_operand(r_, {i + 1, last}))) return std::nullopt;
    // The values of names in a macro depend on the place that uses the macro. These places are not examined, so the
    // values are unknown.
    for (std::size_t k = i + 1; k <= last; ++k)
      if (t_[k].is == token::kind::word && t_[k].spelled != "threadIdx" && t_[k - 1].spelled != "." &&
          r_.is_declared_in_block(t_[k].spelled))
        return std::nullopt;
    const maybe_range one = inner({i + 1, last});
    value = is_set ? either(value, one) : one;
    is_set = true;
  }
  return value;
}

bool index_evaluation::is_declared_as(std::size_t name, std::initializer_list<std::string_view> words) const {
  for (std::size_t i = name; i-- > 0;) {
    if (t_[i].is != token::kind::word || t_[i].of_directive) return false;
    if (std::find(words.begin(), words.end(), t_[i].spelled) != words.end()) return true;
  }
  return false;
}

bool index_evaluation::changes_between(std::string_view word, std::size_t from, std::size_t to,
                                       std::size_t declared) const {
  for (std::size_t i = std::max<std::size_t>(from, 3); i < std::min(to, t_.size() - 1); ++i) {
    if (t_[i].spelled != word || t_[i].is != token::kind::word || r_.is_declared_at(i)) continue;
    const std::string_view before = t_[i - 1].spelled, after = t_[i + 1].spelled;
    if (before == "." || before == "->" || before == "::") continue;
    const bool assigns =
        after == "=" || after == "++" || after == "--" || before == "++" || before == "--" ||
        (after.size() >= 2 && after.ends_with('=') && after != "==" && after != "!=" && after != "<=" && after != ">=");
    const bool is_own_loop = declared != 0 && r_.around(i) == r_.around(declared) && is_in_loop_head(declared);
    if ((assigns && !is_own_loop) || is_handed_out(i)) return true;
  }
  return false;
}

bool index_evaluation::is_handed_out(std::size_t i) const {
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

bool index_evaluation::is_in_loop_head(std::size_t at) const {
  int depth = 0;
  for (std::size_t i = at; i-- > 1;) {
    const std::string_view s = t_[i].spelled;
    if (s == "{" || s == "}") return false;
    if (s == ")") ++depth;
    if (s == "(" && depth-- == 0) return t_[i - 1].spelled == "for";
  }
  return false;
}

maybe_range index_evaluation::declared_value(std::size_t name) {
  const std::size_t outer = r_.around(name);
  if (outer != reader::outside && t_[outer].spelled == "(" && !is_in_loop_head(name)) return given(name, outer);
  const std::string_view opens = t_[name + 1].spelled;
  if (opens == "(" || opens == "{") {
    const std::size_t close = closing(t_, name + 1);
    if (close >= t_.size() || close == name + 2 || is_in_loop_head(name)) return std::nullopt;
    return inner({name + 2, close - 1});
  }
  if (opens != "=" || t_[name - 1].spelled == "&" || t_[name - 1].spelled == "*") return std::nullopt;
  std::size_t last = name + 2;
  while (last < t_.size() && t_[last].spelled != ";" && t_[last].spelled != "," && t_[last].spelled != ")") {
    if (t_[last].spelled == "(" || t_[last].spelled == "[" || t_[last].spelled == "{") last = closing(t_, last);
    if (last >= t_.size()) return std::nullopt;
    ++last;
  }
  // In "int x = 3)", x may be a parameter with a default value.
  if (last >= t_.size() || last == name + 2 || t_[last].spelled == ")") return std::nullopt;
  const maybe_range begin = inner({name + 2, last - 1});
  if (!is_in_loop_head(name)) return begin;
  if (t_[last].spelled != ";" || t_[last + 1].spelled != t_[name].spelled) return std::nullopt;
  const std::string_view sign = t_[last + 2].spelled;
  std::size_t stop = last + 3;
  while (stop < t_.size() && t_[stop].spelled != ";") {
    if (t_[stop].spelled == "&&" || t_[stop].spelled == "||" || t_[stop].spelled == "{") return std::nullopt;
    ++stop;
  }
  if (stop >= t_.size() || stop == last + 3) return std::nullopt;
  const maybe_range end = inner({last + 3, stop - 1});
  if (!begin || !end) return std::nullopt;
  if (sign == "!=" && !step_after(stop, t_[name].spelled)) return std::nullopt;
  if (sign == "<" || sign == "!=" || sign == "<=") {
    const std::int64_t limit = std::max(begin->least, end->most - (sign == "<=" ? 0 : 1));
    // In a loop with a known start and a step such as "j += 8", the last value may be less than the limit.
    const maybe_range step = step_after(stop, t_[name].spelled);
    const bool is_known = is_fixed(begin) && is_fixed(step) && step->least > 0;
    return limited(begin->least, is_known ? limit - (limit - begin->least) % step->least : limit);
  }
  if (sign == ">") return limited(std::min(end->least + 1, begin->most), begin->most);
  if (sign == ">=") return limited(std::min(end->least, begin->most), begin->most);
  return std::nullopt;
}

maybe_range index_evaluation::given(std::size_t parameter, std::size_t open) {
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
    const std::size_t called = r_.bracket_after(i);
    if (called >= t_.size() || t_[i].of_directive || --lookups_ < 0) return std::nullopt;
    const auto list = r_.list_in(called);
    if (list.size() != parameters.size()) return std::nullopt;
    const maybe_range one = inner(list[index]);
    if (!one) return std::nullopt;
    value = is_set ? either(value, one) : one;
    is_set = true;
  }
  return value;
}

maybe_range index_evaluation::step_after(std::size_t semicolon, std::string_view counter) {
  const std::string_view first = t_[semicolon + 1].spelled, second = t_[semicolon + 2].spelled;
  if (first == "++" || second == "++") return maybe_range({1, 1});
  if (first != counter || second != "+=") return std::nullopt;
  std::size_t last = semicolon + 3;
  for (int depth = 0; last < t_.size(); ++last) {
    if (t_[last].spelled == "(") ++depth;
    if (t_[last].spelled == ")" && depth-- == 0) break;
    if (t_[last].spelled == ";" || t_[last].spelled == "{" || t_[last].spelled == ",") return std::nullopt;
  }
  return inner({semicolon + 3, last - 1});
}

}  // namespace bankwise::source
