#include "edit/named_padding.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "edit/array_uses.hpp"
#include "edit/index_check.hpp"
#include "edit/index_function.hpp"

namespace bankwise::edit {

void change_named_padding(draft& d) {
  const std::uint64_t element = d.shape.element_bytes, had = d.problem.as_it_is.gap / element;
  const auto [first, last] = d.declared.extent[0];
  std::size_t group = 0;
  for (std::size_t i = first; i + 4 <= last && !d.launch_sized; ++i)
    if (d.tokens[i].spelled == "(" && source::closing(d.tokens, i) == i + 4 &&
        d.tokens[i + 1].is == source::token::kind::word && d.tokens[i + 2].spelled == "+" &&
        d.tokens[i + 3].is == source::token::kind::word)
      group = i;
  const std::string part_of_index =
      "the existing padding is part of every index, so fix would have to change every index";
  if (group == 0) {
    d.refuse(part_of_index);
    return;
  }
  const std::string_view constant = d.tokens[group + 3].spelled;
  std::size_t value = 0;
  std::vector<std::size_t> places;  // positions of the constant in the pitch
  for (std::size_t i = 1; i + 2 < d.tokens.size(); ++i) {
    if (d.tokens[i].spelled != constant || d.tokens[i].is != source::token::kind::word) continue;
    const bool is_defined = d.tokens[i - 1].spelled == "define" && d.tokens[i + 1].is == source::token::kind::number &&
                            (i + 2 >= d.tokens.size() || d.tokens[i + 2].line != d.tokens[i].line);
    bool is_constant = false;
    for (std::size_t k = i; k-- > 1 && d.tokens[k].is == source::token::kind::word;)
      is_constant |= d.tokens[k].spelled == "const" || d.tokens[k].spelled == "constexpr";
    is_constant &= d.tokens[i + 1].spelled == "=" && d.tokens[i + 2].is == source::token::kind::number &&
                   (d.tokens[i + 3].spelled == ";" || d.tokens[i + 3].spelled == ",");
    if ((is_defined || is_constant) && value == 0) {
      value = is_defined ? i + 1 : i + 2;
      continue;
    }
    const bool in_pitch = i >= 3 && d.tokens[i - 3].spelled == "(" &&
                          d.tokens[i - 2].spelled == d.tokens[group + 1].spelled && d.tokens[i - 1].spelled == "+" &&
                          d.tokens[i + 1].spelled == ")";
    if (!in_pitch) {
      d.refuse(
          formatted("{}. fix cannot change the constant {} instead, because the constant has another use on line {}",
                    part_of_index, constant, d.tokens[i].line));
      return;
    }
    places.push_back(i);
  }
  if (value == 0 || source::plain_number(d.tokens[value].spelled) != had) {
    d.refuse(
        formatted("{}. fix cannot change the constant {} instead, because this source does not define it as a single "
                  "number",
                  part_of_index, constant));
    return;
  }
  // Every use of the constant must be in the pitch of an index of this array. Every index must contain the constant
  // once.
  std::size_t inside = 0;
  for (const source::use& u : d.uses) {
    const auto of_this = [&](std::size_t at) {
      return d.is_whole(u) && at > u.index[0].first && at < u.index[0].second &&
             (d.tokens[at - 4].spelled == "*" || d.tokens[at + 2].spelled == "*");
    };
    const auto here = std::count_if(places.begin(), places.end(), of_this);
    if (here != 1) {
      d.refuse(
          formatted("{}. fix cannot change a constant instead, because line {} does not multiply the row by ({} + {})",
                    part_of_index, d.tokens[u.name].line, d.tokens[group + 1].spelled, constant));
      return;
    }
    const auto place = std::find_if(places.begin(), places.end(), of_this);
    if (auto why = doubt_of_column(d.reader, u, *place, d.problem.as_it_is.every / element, d.declared.open, d.names))
      d.doubt(d.tokens[u.name].line, std::move(*why));
    if (auto why = goes_beyond(d, u)) d.doubt(d.tokens[u.name].line, std::move(*why));
    ++inside;
  }
  if (inside + 1 != places.size()) {
    d.refuse(formatted("{}. fix cannot change the constant {} instead, because another array also uses the constant",
                       part_of_index, constant));
    return;
  }
  if (d.answer.layout.every == d.problem.as_it_is.every && d.answer.layout.terms.empty()) {
    const std::string now = std::to_string(d.answer.layout.gap / element);
    d.extent = d.reader.text(first, last);
    d.replace(value, value, now);
    d.made.words = formatted("{} = {} in {}", constant, now, d.declaration_text());
    return;
  }
  d.replace(value, value, "0");
  move_elements(d);
  if (d.made.refused.empty()) d.made.words += formatted(", and {} = 0", constant);
}

}  // namespace bankwise::edit
