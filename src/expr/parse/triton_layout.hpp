// A shared layout in Triton's notation, which follows the extents of an array:
//
//     half s[64][32] #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
//     half s[64][32] vec=8 perPhase=2 maxPhase=4
//     half s[64][32] gl.SwizzledSharedLayout(8, 2, 4, order=[1, 0])
//
// In row r, the vector of `vec` elements with number v is at the place v ^ (r / perPhase % maxPhase) of the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/parse/cute_layout.hpp"

namespace bankwise::expr {

// Returns the position where the layout begins. Returns npos if the declaration has no such layout.
std::size_t find_triton_layout(std::string_view declaration);
// Parses the layout that begins at `begin`, of an array with these extents. Errors show the whole declaration.
result<cute_layout> parse_triton_layout(std::string_view text, std::size_t begin,
                                        const std::vector<std::uint64_t>& extents);

}  // namespace bankwise::expr
