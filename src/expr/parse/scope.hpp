// The names that an expression may use: constants, variables and arrays. A scope also contains the block and the warp
// of the lane.
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

// A part of an index in a CuTe layout. The part's value is index / (product of the sizes of earlier parts) % size,
// multiplied by `stride`.
struct index_part {
  std::uint64_t size = 1, stride = 0;  // `stride` counts elements
};

struct structure;

// The type of an element: a number, a vector of numbers, or a struct.
struct element_type {
  std::uint32_t bytes = 4;
  // alignment: 16 for float4; 4 for float3, so that a float3 is moved in pieces of 4 bytes
  std::uint32_t align = 4;
  std::uint32_t component = 0;  // for a vector: bytes of .x; 0 for other types
  std::shared_ptr<const structure> of = {};
};

struct structure_member {
  std::string name;
  element_type type;
  std::vector<std::uint64_t> extents;
  std::uint64_t offset = 0;
};
// A struct, whose members have the same offsets as in C.
struct structure {
  std::string name;
  std::uint32_t bytes = 0, align = 1;
  std::vector<structure_member> members;
};

// Returns the bytes of one access to an element: 16 for a float4, or 4 for a float3, which needs three accesses.
std::uint32_t piece_bytes(const element_type& type);

// A declared array. Arrays in shared memory are placed one after another, and each is aligned to its element.
struct array_decl {
  std::string name;
  std::string type;  // type of an element, as written
  std::uint32_t element_bytes = 4;
  std::vector<std::uint64_t> extents;  // extents, the outermost first: {32, 33} for tile[32][33]
  std::uint64_t offset = 0;            // bytes from the start of shared memory to the array
  // The offsets after "@": the first byte of the array, or of each part of its first extent. Empty if the array is
  // placed after the previous array.
  std::vector<std::uint64_t> places = {};
  // For an array with a CuTe layout: the parts of each index, and a swizzle of elements. Empty if elements are placed
  // row by row.
  std::vector<std::vector<index_part>> modes = {};
  std::optional<swizzle> permute = {};
  // The form of an element. If `component_bytes` is 0, the element is a number or a struct.
  std::uint32_t align = 0, component_bytes = 0;  // `align` 0 means that the alignment is element_bytes
  std::shared_ptr<const structure> of = {};
  bool sized = true;  // false for an extern array without an extent, which gets the largest possible size
};

element_type type_of(const array_decl& array);

std::uint64_t bytes_of(const array_decl& array);
// Returns the memory of an array with a CuTe layout, as a one-dimensional array.
array_decl without_layout(array_decl array);
// Returns the offset of an element from the start of the array, in elements.
std::uint64_t offset_of(const array_decl& array, std::span<const std::uint64_t> indices);

struct node;

// A named expression. It may depend on the lane, and on variables that are defined earlier.
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
  std::uint32_t warp_lanes = 32;  // 32, or 64 if an access is one half of a wave
  std::uint32_t first_lane = 0;   // the first lane of the half of the wave
  // Whether arrays are allocations in global memory. Each array then begins at its own byte 0, and an array without an
  // extent has no end.
  bool of_global = false;
};

std::uint32_t threads_of(const scope& names);
std::uint32_t warps_of(const scope& names);

// Adds an array. In shared memory, the array is placed after the existing arrays. In global memory, it begins at byte
// 0.
void add_array(scope& names, array_decl array);

}  // namespace bankwise::expr
