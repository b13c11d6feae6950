// A whole array: the bank of every element, with the padding and swizzle of a question, and the lanes that want the
// element.
//
//     float tile[32][32], tile[t][0]      row 0: banks 0 1 2 ... 31, lane 0 wants the first
//                                         row 1: banks 0 1 2 ... 31, lane 1 wants the first
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
  std::uint64_t rows = 0, columns = 0;  // for one dimension: rows are rows of all banks
  // Row by row, at most most_tile_elements; whole rows.
  std::vector<u32> bank;   // of an element's first byte
  std::vector<u32> byte;   // its position
  std::vector<u32> lanes;  // masks
};

inline constexpr std::uint64_t most_tile_elements = 16384;

// For the array of the access, otherwise for the first one. If `list_name` is empty, `text` is an expression.
result<tile_map> map_tile(const flag_values& flags, const std::string& text, const std::string& list_name);
std::string to_json(const tile_map& m);

}  // namespace bankwise
