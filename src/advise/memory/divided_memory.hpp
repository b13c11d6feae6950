// Finds the arrays of a launch in the programmer's sense. Declared arrays are known. If code divides memory itself, the
// webs of its instructions (profile/code/value_flow.hpp) show the arrays. This file joins the webs of an array, and
// finds the name of the array.
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
// Webs with the same name on a line are one array. Webs of an unrolled loop are also one array if their instructions
// differ only by a distance. If bytes are later used with different rows or elements, they are a new array.
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
  shared_array memory;                // name, and range of the memory
  expr::array_decl shape;             // declaration; empty if the type or the extents are unknown
  std::vector<std::uint64_t> stages;  // first byte of each stage; all stages have the same layout
  std::uint64_t stage_bytes = 0;
  std::vector<std::string> same_bytes;  // names of the arrays that use the same bytes at other times
  bool is_given = false;                // whether the array is declared by --array with a position
  // whether the declaration in the source has rows: "extern __shared__ half smem[][72]"
  bool has_declared_rows = false;
  bool is_pointed = false;  // whether a pointer in the source has rows: "half (*K)[72]"
  bool is_member = false;   // whether the array is a member of a union
  std::uint64_t room = 0;   // for a member of a union: bytes of the union after the member
  // whether the array is only a part of a declared array; other arrays use the declared array's bytes at other times
  bool is_part = false;

  // Returns the offset of the bytes in the stage that contains them. Returns nothing if no stage contains all of them.
  std::optional<std::uint32_t> offset_of(std::uint64_t at, std::uint64_t bytes) const;
};

// Returns the text of a source file, or nothing if the file was not found.
using source_text = std::function<std::optional<std::string>(const std::string& file)>;

// Returns the arrays, sorted by address. A declaration in `given` with a first byte is an array of dynamic memory. No
// other array contains the bytes of this array. Fails if a first byte is outside of the dynamic memory, or inside an
// array that is already declared.
result<std::vector<divided_array>> arrays_of(const launch_report& l, const std::vector<expr::array_decl>& given,
                                             const source_text& source);

}  // namespace bankwise::advise
