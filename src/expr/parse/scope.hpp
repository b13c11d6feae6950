// The names that an expression may use: constants, variables, arrays, and the block and warp of its lane.
//
//     --let n=4 --array 'float a[3]' --array 'double b[n]'      a at bytes 0 to 11, b at bytes 16 to 47
//     --let row=t/4 --let column=row^t                          variables: a value for each lane
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bankwise/swizzle.hpp"

namespace bankwise::expr {

// A part of an index in a CuTe layout: index / (sizes of the parts before) % size, times stride.
struct index_part {
  std::uint64_t size = 1, stride = 0;  // in elements
};

struct structure;

// The type of an element: a number, a vector of numbers, or a struct.
struct element_type {
  std::uint32_t bytes = 4;
  std::uint32_t align = 4;      // float4: 16; float3: 4, so that it moves in pieces of 4 bytes
  std::uint32_t component = 0;  // bytes of .x for a vector; 0 if it is not a vector
  std::shared_ptr<const structure> of = {};
};

struct structure_member {
  std::string name;
  element_type type;
  std::vector<std::uint64_t> extents;
  std::uint64_t offset = 0;
};
// A struct with the layout that C gives it.
struct structure {
  std::string name;
  std::uint32_t bytes = 0, align = 1;
  std::vector<structure_member> members;
};

// Bytes of one access to an element: 16 for a float4, 4 for a float3, which takes three accesses.
std::uint32_t piece_bytes(const element_type& type);

// A declared shared array. Arrays are placed one after another, each aligned to its element.
struct array_decl {
  std::string name;
  std::string type;  // of an element, as it was written
  std::uint32_t element_bytes = 4;
  std::vector<std::uint64_t> extents;  // outermost first; tile[32][33] is {32, 33}
  std::uint64_t offset = 0;            // bytes from the start of shared memory
  // From "@": the first byte of the array, or of each part of its first extent. Empty if it follows the previous array.
  std::vector<std::uint64_t> places = {};
  // If a CuTe layout gives the addresses of elements: the parts of each index, and a swizzle over elements. Empty if
  // elements are placed row by row.
  std::vector<std::vector<index_part>> modes = {};
  std::optional<swizzle> permute = {};
  // The form of an element. It is a number if `component_bytes` is 0 and it has no struct.
  std::uint32_t align = 0, component_bytes = 0;  // align 0 means that of element_bytes
  std::shared_ptr<const structure> of = {};
  bool sized = true;  // false for an extern array without an extent, which got the largest size
};

element_type type_of(const array_decl& array);

std::uint64_t bytes_of(const array_decl& array);
// The memory of an array with a CuTe layout, as a row of elements.
array_decl without_layout(array_decl array);
// The offset of an element from the start of the array, in elements.
std::uint64_t offset_of(const array_decl& array, std::span<const std::uint64_t> indices);

struct node;

// A name for an expression, which may depend on the lane and on the variables before it.
struct variable {
  std::string name, text;
  std::shared_ptr<const std::vector<node>> nodes = {};
  std::uint32_t root = 0;
};

struct scope {
  std::map<std::string, std::int64_t, std::less<>> constants;
  std::vector<variable> variables;
  std::vector<array_decl> arrays;
  std::vector<std::shared_ptr<const structure>> structures;
  std::array<std::uint32_t, 3> block{32, 1, 1};
  std::uint32_t warp = 0;
  std::uint32_t warp_lanes = 32;  // 64 for waves, of which an access is one half
  std::uint32_t first_lane = 0;   // of that half
  // Arrays are allocations in global memory: each begins at its own byte 0, and one without an extent has no end.
  bool of_global = false;
};

std::uint32_t threads_of(const scope& names);
std::uint32_t warps_of(const scope& names);

// Appends the array: after the existing ones, or for global memory at byte 0.
void add_array(scope& names, array_decl array);

}  // namespace bankwise::expr
