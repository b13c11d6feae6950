// Which levels a read takes, and the ellipse that it covers: fixed point with 8 bits behind the point, of a given level or of
// derivatives.
//
//     derivatives (3, 1) and (-1, 3) in texels      the longest of both, their sum and their difference, about 3.34;
//                                                   its logarithm from a table of 256: level 1 and 190/256
//
// Where a texture is anisotropic, the shorter axis is the area by the longer one, and the level is that of the shorter one.
#pragma once

#include <array>
#include <cstdint>

#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

inline constexpr int level_bits = 8;

struct footprint {
  std::int32_t level = 0;
  // Of an anisotropic texture, without its bias: the logarithm of how long the longer axis is in texels of the level, as far as the
  // texture allows; where it points, in 64ths.
  std::int32_t length = 0;
  std::array<std::int32_t, 2> axis{};
};
footprint footprint_of(const texture& t, const texture_read& r);

}  // namespace bankwise::emulate
