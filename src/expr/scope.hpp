// The names that an expression may use: constants, arrays, and the block and warp that its lane is of.
//
//     --let n=4 --array 'float a[3]' --array 'double b[n]'      a at bytes 0 to 11, b at bytes 16 to 47
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bankwise/swizzle.hpp"

namespace bankwise::expr {

// Of an index of a CuTe layout: index / (sizes of the parts before) % size, times stride.
struct index_part {
  std::uint64_t size = 1, stride = 0;  // in elements
};

// A declared shared array. Arrays lie one after another, each aligned to its element.
struct array_decl {
  std::string name;
  std::string type;  // of an element, as it was written
  std::uint32_t element_bytes = 4;
  std::vector<std::uint64_t> extents;  // outermost first; tile[32][33] is {32, 33}
  std::uint64_t offset = 0;            // bytes from the start of shared memory
  // By "@": where it begins, or each part of its first extent, in bytes. Empty: behind the array before.
  std::vector<std::uint64_t> places = {};
  // Where a CuTe layout says where elements lie: the parts of each index, and a swizzle over elements. Empty: row by row.
  std::vector<std::vector<index_part>> modes = {};
  std::optional<swizzle> permute = {};
};

std::uint64_t bytes_of(const array_decl& array);
// One with a CuTe layout as what it takes of memory: a row of elements.
array_decl without_layout(array_decl array);
// From the start of the array to an element, in elements.
std::uint64_t offset_of(const array_decl& array, std::span<const std::uint64_t> indices);

struct scope {
  std::map<std::string, std::int64_t, std::less<>> constants;
  std::vector<array_decl> arrays;
  std::array<std::uint32_t, 3> block{32, 1, 1};
  std::uint32_t warp = 0;
};

// Appends the array behind those that are there.
void add_array(scope& names, array_decl array);

}  // namespace bankwise::expr
