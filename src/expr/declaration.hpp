// What a kernel declares, as it stands there: arrays, and constants by name.
//
//     __shared__ __align__(16) float tile[32][pitch];      pitch = 33
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "expr/scope.hpp"

namespace bankwise::expr {

// "float tile[32][33]" -> a declaration. Extents are constant expressions over `names`; what CUDA says besides,
// "__shared__ __align__(16) float tile[32][33];", may be there.
// "float tile (32,32):(33,1)" lies as CuTe's layouts say (cute_layout.hpp).
// "half k[2][64][64] @ 8192" has a place, "half k[2][64][64] @ 0, 16384" one for each part of its first extent: its stages.
result<array_decl> parse_array(std::string_view text, const scope& names);
// "pitch=33" -> a name and a number; the right side is a constant expression over `names`.
result<std::pair<std::string, std::int64_t>> parse_constant(std::string_view text, const scope& names);

}  // namespace bankwise::expr
