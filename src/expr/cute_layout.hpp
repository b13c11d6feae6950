// A layout as CuTe writes and prints it: Shape:Stride, with a swizzle before it if one is composed.
//
//     (32,32):(33,1)                                   rows of 33 elements
//     ((8,4),(64,2)):((64,512),(1,2048))               an index in parts, the innermost first
//     Swizzle<3,3,3> o (8,64):(64,1)                   over elements; Sw<3,3,3> o _0 o (_8,_64):(_64,_1) is the same
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise::expr {

struct cute_layout {
  std::vector<std::vector<index_part>> modes;  // one an index
  std::optional<swizzle> permute;              // over elements
};

// Where a layout begins after the name of an array; npos if there is none because the array is declared with extents.
std::size_t find_cute_layout(std::string_view declaration);
// `text`: the whole declaration, for errors; the layout begins at `begin`. Numbers may be _32, Int<32>{} or constants
// of `names`.
result<cute_layout> parse_cute_layout(std::string_view text, std::size_t begin, const scope& names);

}  // namespace bankwise::expr
