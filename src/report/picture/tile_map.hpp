// A map of a whole array. It shows the bank of every element, and the lanes that access the element. The padding and
// swizzle of the question are applied.
//
//     float tile[32][32], tile[t][0]      row 0: banks 0 1 2 ... 31, lane 0 accesses the first element
//                                         row 1: banks 0 1 2 ... 31, lane 1 accesses the first element
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankwise/config.hpp"
#include "base/flag_values.hpp"
#include "base/result.hpp"

namespace bankwise {

struct tile_map {
  std::string name, type;
  u32 element_bytes = 0, banks = 0;
  std::vector<std::uint64_t> extents;
  // An array with one dimension is shown in rows. Each row has one element for each bank.
  std::uint64_t rows = 0, columns = 0;
  // The following lists have one value for each element, row by row. They contain only complete rows, and at most
  // most_tile_elements elements.
  std::vector<u32> bank;   // bank of an element's first byte
  std::vector<u32> byte;   // address of the element in shared memory
  std::vector<u32> lanes;  // mask of the lanes that access the element
};

inline constexpr std::uint64_t most_tile_elements = 16384;

// Maps the array that the access uses. If there is none, maps the first array. If `list_name` is empty, `text` is an
// expression.
result<tile_map> map_tile(const flag_values& flags, const std::string& text, const std::string& list_name);
std::string to_json(const tile_map& m);

}  // namespace bankwise
