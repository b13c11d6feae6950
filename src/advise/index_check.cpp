#include "advise/index_check.hpp"

namespace bankwise::advise {

std::optional<std::string> doubt_of_index(const source_reader& r, const use& u, std::size_t dimension,
                                          std::uint64_t extent, const char* what, std::size_t from,
                                          const known_names& names) {
  const auto& t = r.all();
  const token_range index = u.index[dimension];
  const auto has = range_of(r, index, from, names);
  const std::string said = what + (" " + r.text(index.first, index.second)) + " of " + std::string(t[u.name].spelled);
  const auto places = static_cast<std::int64_t>(extent);
  if (has && has->least >= 0 && has->most < places) return std::nullopt;
  const std::string leaves = said + (what[0] == 'c' ? " may leave its row" : " may leave its plane");
  if (has)
    return leaves + ": it is " + std::to_string(has->least) + " to " + std::to_string(has->most) + ", and a " +
           (what[0] == 'c' ? "row" : "plane") + " has " + std::to_string(extent);
  // Of what is not known, a name alone is what people call a column. A sum may be another one.
  bool computes = index.first != index.second && t[index.first].spelled != "threadIdx";
  if (dimension > 0 && !computes) {
    const auto at = range_of(r, u.index[dimension - 1], from, names);
    computes = at && at->least == at->most;
  }
  return computes ? std::optional(leaves) : std::nullopt;
}

}  // namespace bankwise::advise
