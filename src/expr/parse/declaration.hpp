// Declarations in the words of a kernel: arrays, and constants by name.
//
//     __shared__ __align__(16) float tile[32][pitch];      pitch = 33
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise::expr {

// "float tile[32][33]" -> a declaration. Extents are constant expressions over `names`; CUDA's other words are allowed:
// "__shared__ __align__(16) float tile[32][33];". "float tile (32,32):(33,1)" has a layout of CuTe (cute_layout.hpp).
// "half k[2][64][64] @ 8192" has a first byte, "half k[2][64][64] @ 0, 16384" one for each part of its first extent
// (its stages). A type may be one of the structs of `names`. "float tile[32, 33]" is "float tile[32][33]".
result<array_decl> parse_array(std::string_view text, const scope& names);
// Adds the declarations of a kernel to `names`: structs, and arrays of one type. struct P { float x, y; char c[4]; };
// struct P { ... } p[256]; float a[32][8], b[8]; "extern __shared__ float s[];" is as large as shared memory can be.
result<done> declare(std::string_view text, scope& names);
// "pitch=33" -> a name and a number; the right side is a constant expression over `names`.
result<std::pair<std::string, std::int64_t>> parse_constant(std::string_view text, const scope& names);
// The same, added to `names`. If the right side depends on the lane, the name becomes a variable: "row=t/4", "int row =
// t / 4;".
result<done> parse_let(std::string_view text, scope& names);

}  // namespace bankwise::expr
