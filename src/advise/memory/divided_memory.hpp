// The arrays of a launch in the programmer's sense. Declared arrays are known. For memory that the code divides itself,
// this file joins and names webs of instructions (profile/code/value_flow.hpp).
//
//     extern __shared__ float smem[];
//     float* As = smem;                        As    2 stages of 4,096 bytes, at 0 and 8,192
//     float* Bs = smem + BM * BK;              Bs    2 stages of 4,096 bytes, at 4,096 and 12,288
//     ... As[stage * 2048 + ...]
//     smem[threadIdx.x] = sum;                 smem  512 bytes at 0, where As was before
//
//     __shared__ union { float tile[32][32]; float2 pairs[512]; } u;
//     u.tile[x][y] ... u.pairs[t]              tile and pairs, each with its own layout
//
// Pieces with the same name on one line are one array. So are the pieces of an unrolled loop, whose instructions differ
// only by a distance. Bytes that are used with other rows or elements at another time are a separate array.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/parse/scope.hpp"
#include "model/report.hpp"

namespace bankwise::advise {

struct divided_array {
  shared_array memory;                // its name, and the memory from its first byte to its last
  expr::array_decl shape;             // empty if the type or the extents are unknown
  std::vector<std::uint64_t> stages;  // first bytes of its stages, which all have the same layout
  std::uint64_t stage_bytes = 0;
  std::vector<std::string> same_bytes;  // other arrays that use the same bytes at another time
  bool is_given = false;                // declared by --array, with its position
  bool has_declared_rows = false;       // "extern __shared__ half smem[][72]"
  bool is_pointed = false;              // "half (*K)[72]"
  bool is_member = false;               // of a union
  std::uint64_t room = 0;               // bytes after a member that belong to the union
  bool is_part = false;                 // part of a declared array whose bytes other arrays use at another time

  // The offset from the start of its stage; nothing if the bytes are not all in one stage.
  std::optional<std::uint32_t> offset_of(std::uint64_t at, std::uint64_t bytes) const;
};

// Nothing if the source was not found.
using source_text = std::function<std::optional<std::string>(const std::string& file)>;

// By address. If a declaration in `given` has a first byte, it is an array of the dynamic memory, and its bytes are in
// no other array. Errors: a first byte outside the launch's dynamic memory, or inside another array.
result<std::vector<divided_array>> arrays_of(const launch_report& l, const std::vector<expr::array_decl>& given,
                                             const source_text& source);

}  // namespace bankwise::advise
