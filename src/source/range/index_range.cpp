#include "source/range/index_range.hpp"

#include "source/range/index_evaluation.hpp"

namespace bankwise::source {

constexpr int deepest_index = 24;  // largest depth of nested names and brackets
// Limit for the names that are looked up for one index. Each look-up reads the whole source.
constexpr int most_names = 500;

std::optional<value_range> range_of(const reader& r, token_range index, std::size_t from, const known_names& names) {
  int lookups = most_names;
  return index_evaluation(r, from, names, deepest_index, lookups).of(index);
}

}  // namespace bankwise::source
