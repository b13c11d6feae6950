// Arrays lie as a compiler lays them out that is asked for nothing else: one behind the other, each aligned to its element.
#include "expr/scope.hpp"

#include <utility>

namespace bankwise::expr {

void add_array(scope& names, array_decl array) {
  std::uint64_t end = 0;
  for (const array_decl& a : names.arrays) {
    std::uint64_t bytes = a.element_bytes;
    for (const std::uint64_t extent : a.extents) bytes *= extent;
    end = a.offset + bytes;
  }
  const std::uint64_t align = array.element_bytes;
  array.offset = (end + align - 1) / align * align;
  names.arrays.push_back(std::move(array));
}

}  // namespace bankwise::expr
