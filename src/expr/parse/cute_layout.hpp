// A layout in CuTe's notation, which is Shape:Stride. A swizzle may precede the layout:
//
//     (32,32):(33,1)                                   rows of 33 elements
//     ((8,4),(64,2)):((64,512),(1,2048))               an index in parts, the innermost first
//     Swizzle<3,3,3> o (8,64):(64,1)                   swizzled elements, also as Sw<3,3,3> o _0 o (_8,_64):(_64,_1)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise::expr {

struct cute_layout {
  std::vector<std::vector<index_part>> modes;  // the parts of each index
  std::optional<swizzle> permute;              // swizzle of elements, not of bytes
};

// Returns the position after the array's name where the layout begins. Returns npos if the declaration has extents
// instead.
std::size_t find_cute_layout(std::string_view declaration);
// Parses the layout that begins at `begin`. Errors show the whole declaration, which is `text`. A number may have the
// form _32 or Int<32>{}, or be a constant of `names`. `element_bits` is the size of the array's elements, for a swizzle
// of addresses (smem_ptr_flag).
result<cute_layout> parse_cute_layout(std::string_view text, std::size_t begin, const scope& names,
                                      std::uint32_t element_bits);

}  // namespace bankwise::expr
