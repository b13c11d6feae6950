// Where the texels of an access to a texture or a surface are stored, for counting its sectors.
//
//     a float at (5, 3) of an array of 64 x 64     byte 20 of row 3
#pragma once

#include <cstdint>
#include <vector>

#include "bankwise/texture_sectors.hpp"
#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

lane_texel place_of(const texture& t, std::uint32_t lane, const touched_texel& at);
// For a surface: the byte at this offset from the beginning of its memory.
lane_texel place_of(const texture& t, std::uint32_t lane, std::uint64_t offset);

// The number of lanes that the texture unit serves with one request. `is_fetch`: whether the reads have integer
// coordinates.
std::uint32_t lanes_of_request(const texture& t, std::uint32_t width_bytes, bool is_fetch);

// Divides texels into passes of the texture unit. A linear filter of texels of 16 bytes takes two passes, one for each
// half of a texel. A pass usually serves all four lanes of a request. With a linear filter of such texels or of a
// three-dimensional texture, it serves two of them if any of the four lanes reads several texels.
void divide_into_passes(const texture& t, std::vector<lane_texel>& texels);
// For reductions on surfaces: lanes of a request that share a texel take one pass each.
void divide_by_texel(std::vector<lane_texel>& texels, std::uint32_t lanes_of_request);

}  // namespace bankwise::emulate
