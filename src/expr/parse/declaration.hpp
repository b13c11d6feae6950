// Parses declarations as in a kernel: arrays and named constants.
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

// Parses the declaration of an array. Extents are constant expressions over `names`.
//
//     __shared__ __align__(16) float tile[32][33];    other words of CUDA are permitted
//     float tile[32, 33]                              means float tile[32][33]
//     float tile (32,32):(33,1)                       a layout of CuTe (cute_layout.hpp)
//     half k[2][64][64] @ 8192                        the first byte of the array
//     half k[2][64][64] @ 0, 16384                    the first byte of each part (stage) of the first extent
//
// The type may be a struct of `names`.
result<array_decl> parse_array(std::string_view text, const scope& names);
// Adds the declarations of a kernel to `names`: structs, and arrays of one type. Examples: struct P { float x, y; char
// c[4]; }; struct P { ... } p[256]; float a[32][8], b[8]; "extern __shared__ float s[];" declares an array with the
// largest possible size of shared memory.
result<done> declare(std::string_view text, scope& names);
// Parses a constant such as "pitch=33" into its name and value. The right side is a constant expression over `names`.
result<std::pair<std::string, std::int64_t>> parse_constant(std::string_view text, const scope& names);
result<done> parse_let(std::string_view text, scope& names);

}  // namespace bankwise::expr
