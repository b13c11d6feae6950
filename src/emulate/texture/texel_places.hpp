// Finds where the texels of an access to a texture or a surface are stored, so that the sectors of the access can be
// counted.
//
//     a float at (5, 3) of an array of 64 x 64     byte 20 of row 3
#pragma once

#include <cstdint>
#include <vector>

#include "bankwise/texture_sectors.hpp"
#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

lane_texel place_of(const texture& t, std::uint32_t lane, const touched_texel& at);
// For a surface: the byte at this offset in the surface's memory.
lane_texel place_of(const texture& t, std::uint32_t lane, std::uint64_t offset);

// The number of lanes that the texture unit serves with one request. `is_fetch`: whether the reads have integer
// coordinates.
std::uint32_t lanes_of_request(const texture& t, std::uint32_t width_bytes, bool is_fetch);

// Divides texels into passes of the texture unit. A pass usually serves all lanes of a request. Linear filters of
// texels of 16 bytes and of three-dimensional textures need more passes:
//   - If texels have 16 bytes, there is one pass for each half of a texel.
//   - If any of the request's four lanes reads several texels, a pass serves only two of the lanes.
void divide_into_passes(const texture& t, std::vector<lane_texel>& texels);
// For reductions on surfaces. If lanes of a request share a texel, each of these lanes takes one pass.
void divide_by_texel(std::vector<lane_texel>& texels, std::uint32_t lanes_of_request);

}  // namespace bankwise::emulate
