#include "edit/index_check.hpp"

#include "base/format.hpp"
namespace bankwise::edit {

namespace {

// Whether the name is a parameter, a loop counter, or not declared in this source.
bool is_given(const source::reader& r, std::size_t name) {
  const auto& t = r.all();
  std::size_t declared = 0;
  for (std::size_t i = 1; i < name; ++i)
    if (t[i].spelled == t[name].spelled && r.is_declared_at(i) && r.scope_end(i) > name) declared = i;
  const std::size_t around = declared == 0 ? source::reader::outside : r.around(declared);
  return declared == 0 || (around != source::reader::outside && t[around].spelled == "(");
}

}  // namespace

std::optional<std::string> doubt_of_index(const source::reader& r, const source::use& u, std::size_t dimension,
                                          std::uint64_t extent, const char* what, std::size_t from,
                                          const source::known_names& names) {
  const auto& t = r.all();
  const source::token_range index = u.index[dimension];
  const auto has = source::range_of(r, index, from, names);
  const std::string said =
      formatted("{}{} of {}", what, formatted(" {}", r.text(index.first, index.second)), t[u.name].spelled);
  const auto places = static_cast<std::int64_t>(extent);
  if (has && has->least >= 0 && has->most < places) return std::nullopt;
  const std::string leaves = said + (what[0] == 'c' ? " may be outside its row" : " may be outside its dimension");
  if (has)
    return formatted("{}: the values are {} to {}, but the size of the {} is {}", leaves, has->least, has->most,
                     what[0] == 'c' ? "row" : "dimension", extent);
  // The value of an index is unknown. Loop counters and parameters are assumed to be within the row. A computed value
  // may be outside of the row.
  source::token_range bare = index;
  while (bare.first < bare.second && t[bare.first].spelled == "(" && source::closing(t, bare.first) == bare.second)
    ++bare.first, --bare.second;
  const bool is_lane = t[bare.first].spelled == "threadIdx" && bare.second == bare.first + 2;
  bool computes = bare.first == bare.second ? !is_given(r, bare.first) : !is_lane;
  if (dimension > 0 && !computes) {
    const auto at = source::range_of(r, u.index[dimension - 1], from, names);
    computes = at && at->least == at->most;
  }
  return computes ? std::optional(leaves) : std::nullopt;
}

std::optional<std::string> doubt_of_column(const source::reader& r, const source::use& u, std::size_t pitch,
                                           std::uint64_t columns, std::size_t from, const source::known_names& names) {
  const auto& t = r.all();
  source::token_range index = u.index[0];
  while (index.first < index.second && t[index.first].spelled == "(" && source::closing(t, index.first) == index.second)
    ++index.first, --index.second;
  const std::string said =
      formatted("the column in {} may be outside its row", r.text(u.index[0].first, u.index[0].second));
  std::int64_t least = 0, most = 0;
  std::size_t begin = index.first, columns_named = 0;
  bool is_known = true, subtracts = false;
  for (std::size_t i = index.first; i <= index.second + 1; ++i) {
    const bool is_end = i == index.second + 1;
    const std::string_view s = is_end ? std::string_view() : t[i].spelled;
    if (!is_end && (s == "(" || s == "[")) {
      i = source::closing(t, i);
      continue;
    }
    const bool is_sum = s == "+" || s == "-";
    if (!is_end && !is_sum) {
      // With an operator of lower precedence than +, the index is not a sum, so its range is unknown.
      if (s == "?" || s == "," || s == "&" || s == "|" || s == "^" || s == "<<" || s == ">>") return said;
      continue;
    }
    if (i > begin && (pitch < begin || pitch >= i)) {
      const auto part = source::range_of(r, {begin, i - 1}, from, names);
      is_known &= part.has_value();
      ++columns_named;
      if (part) {
        least += subtracts ? -part->most : part->least;
        most += subtracts ? -part->least : part->most;
      }
      if (!part && (subtracts || begin + 1 != i || !is_given(r, begin))) return said;
    } else if (subtracts) {
      return said;
    }
    subtracts = s == "-";
    begin = i + 1;
  }
  if (!is_known) return columns_named == 1 ? std::nullopt : std::optional(said);
  if (least >= 0 && most < static_cast<std::int64_t>(columns)) return std::nullopt;
  return formatted("{}: the values are {} to {}, but the size of the row is {}", said, least, most, columns);
}

}  // namespace bankwise::edit
