// Arrays lie as a compiler lays them out that is asked for nothing else: one behind the other, each aligned to its element; one that
// has a place lies there.
#include "expr/scope.hpp"

#include <utility>

namespace bankwise::expr {

std::uint64_t bytes_of(const array_decl& array) {
  std::uint64_t bytes = array.element_bytes;
  for (const std::uint64_t n : array.extents) bytes *= n;
  return bytes;
}

void add_array(scope& names, array_decl array) {
  const std::uint64_t end = names.arrays.empty() ? 0 : names.arrays.back().offset + bytes_of(names.arrays.back());
  const std::uint64_t align = array.element_bytes;
  array.offset = array.places.empty() ? (end + align - 1) / align * align : array.places.front();
  names.arrays.push_back(std::move(array));
}

}  // namespace bankwise::expr
