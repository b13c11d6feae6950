// The levels that a read uses, and the ellipse that the read covers. Both are computed from a given level or from
// derivatives, with 8 bits after the point.
//
//     derivatives (3, 1) and (-1, 3) in texels      the longest of four vectors, which are these two and 11/16 of their
//                                                   sum and difference: about 3.34; its logarithm from a table of 256:
//                                                   level 1 and 190/256
//
// The shorter axis of an anisotropic texture's ellipse is the area divided by the longer axis. The shorter axis
// determines the level.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

inline constexpr int level_bits = 8;

struct footprint {
  std::int32_t level = 0;
  // For an anisotropic texture. `length`: the logarithm of the longer axis's length in texels of the level, without the
  // bias, and at most the texture's limit. `axis`: the direction of the longer axis, in 64ths.
  std::int32_t length = 0;
  std::array<std::int32_t, 2> axis{};
};
footprint footprint_of(const texture& t, const texture_read& r);

}  // namespace bankwise::emulate
