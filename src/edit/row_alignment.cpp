#include "edit/row_alignment.hpp"

#include "base/format.hpp"

namespace bankwise::edit {

std::optional<alignment_change> keep_alignment(const source::reader& r, const source::declaration& d,
                                               std::uint64_t widest, std::uint64_t element_bytes) {
  const auto& t = r.all();
  if (!d.variable.empty() || widest <= (element_bytes & (~element_bytes + 1))) return std::nullopt;
  const auto begins_statement = [&](std::size_t i) {
    return t[i].spelled == ";" || t[i].spelled == "{" || t[i].spelled == "}" || t[i].of_directive;
  };
  std::size_t from = d.word;
  while (from > 0 && !begins_statement(from - 1)) --from;
  for (std::size_t i = from; i + 3 < d.name; ++i) {
    if (t[i].spelled != "__align__" && t[i].spelled != "alignas" && t[i].spelled != "aligned") continue;
    const auto had = i + 2 < d.name && t[i + 3].spelled == ")" ? source::plain_number(t[i + 2].spelled) : std::nullopt;
    if (!had || *had >= widest) return std::nullopt;
    return alignment_change{{t[i + 2].at, t[i + 2].end(), std::to_string(widest)}, ""};
  }
  const std::size_t after = t[d.word].end();
  return alignment_change{{after, after, formatted(" __align__({})", widest)},
                          formatted(", aligned to {} bytes", widest)};
}

}  // namespace bankwise::edit
