// Which levels a read takes: fixed point with 8 bits behind the point, of a given level or of derivatives.
//
//     derivatives (3, 1) and (-1, 3) in texels      the longest of both, their sum and their difference, about 3.34;
//                                                   its logarithm from a table of 256: level 1 and 190/256
#pragma once

#include <cstdint>

#include "emulate/texture.hpp"

namespace bankwise::emulate {

inline constexpr int level_bits = 8;
std::int32_t level_of(const texture& t, const texture_read& r);

}  // namespace bankwise::emulate
