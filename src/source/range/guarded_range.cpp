// Applies the conditions around an index to its range.
#include "source/range/index_evaluation.hpp"

#include <algorithm>
#include <vector>

#include "source/index_text.hpp"

namespace bankwise::source {

constexpr int deepest_guard = 12;  // limit for the nested brackets around an index that are searched for conditions

maybe_range index_evaluation::guarded(const maybe_range& value, token_range place) {
  std::int64_t least = value ? value->least : -largest_value - 1, most = value ? value->most : largest_value + 1;
  std::size_t at = place.first;
  for (int depth = 0; depth < deepest_guard; ++depth) {
    const std::size_t outer = r_.around(at);
    // Finds the beginning of the statement, or the opening bracket.
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
  return least > most || least < -largest_value || most > largest_value ? std::nullopt : maybe_range({least, most});
}

bool index_evaluation::is_first_branch(std::size_t question, std::size_t at) const {
  for (std::size_t i = question + 1; i < at; ++i) {
    if (t_[i].spelled == ":" || t_[i].spelled == "?" || t_[i].spelled == ",") return false;
    if (t_[i].spelled == "(" || t_[i].spelled == "[") i = std::min(closing(t_, i), at);
  }
  return true;
}

std::size_t index_evaluation::condition_before(std::size_t question, std::size_t outer) const {
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

bool index_evaluation::binds_closer(token_range side) const {
  for (std::size_t i = side.first; i <= side.second; ++i) {
    const int precedence = precedence_of(t_[i].spelled);
    if (precedence != 0 && precedence <= precedence_of("<")) return false;
    if (t_[i].spelled == "=" || t_[i].spelled == "!") return false;
    if (t_[i].spelled == "(" || t_[i].spelled == "[") i = closing(t_, i);
  }
  return true;
}

void index_evaluation::narrow(token_range condition, token_range place, std::int64_t& least, std::int64_t& most) {
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
    const maybe_range limit = inner(other);
    if (!limit) continue;
    const bool below = is_left ? s[0] == '<' : s[0] == '>';
    const std::int64_t open = s == "<" || s == ">" ? 1 : 0;
    if (below || s == "==") most = std::min(most, limit->most - open);
    if (!below || s == "==") least = std::max(least, limit->least + open);
  }
}

}  // namespace bankwise::source
