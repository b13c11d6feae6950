#include "emulate/texture/texel_places.hpp"

#include <algorithm>
#include <array>

#include "emulate/texture/texel_blend.hpp"

namespace bankwise::emulate {

namespace {
constexpr std::uint32_t lanes_of_quad = 4, wide_bytes = 16;
}

lane_texel place_of(const texture& t, std::uint32_t lane, const touched_texel& at) {
  const texture_level& l = t.levels[at.level];
  const std::uint64_t x = std::uint64_t{at.x} * t.format.bytes();
  lane_texel to{.lane = lane, .order = texel_order::array, .image = l.address + at.z * l.slice, .byte = x, .row = at.y};
  if (!t.is_linear_memory && !t.is_pitched_memory) return to;
  to.order = t.is_linear_memory ? texel_order::linear : texel_order::pitched;
  to.byte += l.address + at.y * l.pitch;
  to.row_bytes = x;
  return to;
}

lane_texel place_of(const texture& t, std::uint32_t lane, std::uint64_t offset) {
  const texture_level& l = t.levels[0];
  const std::uint64_t slice = offset / l.slice, in_slice = offset % l.slice;
  return {.lane = lane,
          .order = texel_order::array,
          .image = l.address + slice * l.slice,
          .byte = in_slice % l.pitch,
          .row = static_cast<std::uint32_t>(in_slice / l.pitch)};
}

std::uint32_t lanes_of_request(const texture& t, std::uint32_t width_bytes, bool is_fetch) {
  constexpr std::uint32_t lanes_of_two_quads = 2 * lanes_of_quad;
  const bool has_slices = t.layered || t.shape == texture_shape::three || t.shape == texture_shape::cube;
  if (has_slices) return lanes_of_quad;
  if (t.is_surface) return lanes_of_two_quads;
  return is_fetch && width_bytes < wide_bytes ? lanes_of_two_quads : lanes_of_quad;
}

void divide_into_passes(const texture& t, std::vector<lane_texel>& texels) {
  const bool is_wide = t.format.bytes() == wide_bytes;
  if (!t.linear || gives_integers(t) || (!is_wide && t.shape != texture_shape::three)) return;
  std::array<std::uint32_t, lanes_per_warp> of_lane{};
  std::array<bool, lanes_per_warp / lanes_of_quad> reads_several{};
  for (const lane_texel& one : texels) reads_several[one.lane / lanes_of_quad] |= ++of_lane[one.lane] > 1;
  std::vector<lane_texel> all;
  for (lane_texel one : texels) {
    one.pass = reads_several[one.lane / lanes_of_quad] ? one.lane / 2 % 2 : 0;
    all.push_back(one);
    one.pass += 2;
    if (is_wide) all.push_back(one);
  }
  texels = std::move(all);
}

void divide_by_texel(std::vector<lane_texel>& texels, std::uint32_t lanes_of_request) {
  for (std::size_t i = 0; i < texels.size(); ++i)
    for (std::size_t before = 0; before < i; ++before)
      texels[i].pass += texels[before].lane / lanes_of_request == texels[i].lane / lanes_of_request &&
                        texels[before].image == texels[i].image && texels[before].byte == texels[i].byte &&
                        texels[before].row == texels[i].row;
}

}  // namespace bankwise::emulate
