// A search problem: a shared array, and all accesses to the array. Each access has a weight.
//
//     half A[64][64]    store   cp.async.16   A[i * 16 + t / 8][t % 8 * 8]   for i < 4
//                       load    ldmatrix.x4   A[t % 16][t / 16 * 8]          8 times
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/search/relayout.hpp"
#include "bankwise/wavefronts.hpp"
#include "cubin/occupancy.hpp"
#include "expr/names/machine_names.hpp"
#include "expr/names/operation_names.hpp"

namespace bankwise::advise {

// Accesses that are one access for the programmer. They come from a line of the question, or from an instruction of a
// kernel.
struct access_group {
  std::string name;
  named_operation op;
  bool of_data = false;  // whether the group's accesses are in problem::of_data
};

struct weighted_access {
  access what{};             // addresses are byte offsets in the array
  std::uint64_t weight = 1;  // number of executions of the access
  u32 group = 0;             // index into problem::groups
  // For an atomic whose address depends on data: index of the instruction, and the longest range of bytes that a warp
  // accessed (0 if unknown).
  u32 instruction = 0, warp_span_bytes = 0;
};

struct problem {
  machine on;
  std::uint64_t bytes = 0;  // size of the array
  u32 pitch_bytes = 0;      // bytes of a row; 0 if the array has no rows, or if they are unknown
  u32 element_bytes = 1;
  // The existing padding, if it was removed from the offsets of the accesses (meant_shape.hpp).
  relayout as_it_is;
  bool dynamic = false;            // whether the launch sets the number of bytes, instead of a declaration
  bool flat = false;               // whether the code computes row * pitch + column itself
  bool pointed = false;            // whether the rows come from a pointer's type: float (*tile)[32]
  bool member = false;             // whether the array is a member of a union
  std::uint64_t room = 0;          // bytes after the array that other members of the union use
  std::uint64_t static_bytes = 0;  // size of the kernel's other static arrays
  u32 stages = 1;                  // number of stages: equal arrays that get the same layout
  std::vector<access_group> groups;
  std::vector<weighted_access> accesses;
  // Accesses whose addresses depend on data. The search does not try to reduce their cost, but rejects a layout that
  // increases it.
  std::vector<weighted_access> of_data;
  cubin::resources block;  // resources of a block of the kernel with this array; `threads` is 0 if they are unknown
};

// Returns how many blocks fit on a multiprocessor if the array and all its stages together have this number of bytes.
// Returns nothing if the machine or the block is unknown.
std::optional<u32> blocks_with(const problem& p, std::uint64_t array_bytes);

// The limit for the declared memory of a block, which ptxas checks. Dynamic memory can exceed this limit.
inline constexpr std::uint64_t most_static_bytes = 48u << 10;

// Whether a declared array of this size is within most_static_bytes, with all its stages. Always true if the existing
// array already exceeds the limit.
bool is_declarable(const problem& p, std::uint64_t array_bytes);

// Returns how many bytes a layout must keep together: the width of the widest access or of the element.
u32 granule_bytes(const problem& p);

inline constexpr std::uint64_t most_array_bytes = std::uint64_t{1} << most_offset_bits;

}  // namespace bankwise::advise
