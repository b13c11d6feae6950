// Computes the requests, sectors and lines of a warp's access to a texture or a surface from the texels that its lanes
// access. A request of the texture unit serves 4 or 8 lanes, and can take several passes. A pass reads or writes
// sectors of the memory that contains the texels.
//
//     tex1Dfetch(t, lane), of floats in linear memory         4 requests of 8 lanes, 4 sectors, 4 lines
//     tex2D(t, lane, 0), of floats in an array                8 requests of 4 lanes, 8 sectors, 8 lines
//     tex2D(t, 0, lane)                                       8 requests, 16 sectors, 8 lines
//     tex2D(t, lane + 1, 1), with a linear filter             8 requests, 16 sectors: four texels of each lane
//
// In linear and pitched memory, a sector is 32 adjacent bytes. In an array, a sector is 16 bytes of each of two rows.
// In linear memory, a line is 128 adjacent bytes. Otherwise, a line is 32 bytes of each of four rows.
//
// The numbers are Nsight Compute's counters l1tex__t_requests_pipe_tex, l1tex__t_sectors_pipe_tex and
// l1tex__t_set_accesses_pipe_tex. The source page shows no sectors of textures and surfaces.
#pragma once

#include "bankwise/lanes.hpp"

namespace bankwise {

// How texels are stored.
enum class texel_order : unsigned char {
  linear,   // linear memory
  pitched,  // rows at a fixed distance
  array,    // blocks of texels, which CUDA arrays consist of
};

// A texel that a lane accesses.
struct lane_texel {
  u32 lane = 0;
  texel_order order = texel_order::linear;
  unsigned long long image = 0;      // array: a number that differs for each level and slice
  unsigned long long byte = 0;       // array: offset in the row, in bytes. linear and pitched memory: address
  unsigned long long row_bytes = 0;  // pitched memory: offset in the row, in bytes
  u32 row = 0;
  u32 pass = 0;  // index of the pass within its request
};

// The cost of one access.
struct texture_cost {
  u32 requests = 0;
  u32 sectors = 0;
  u32 sectors_ideal = 0;  // number of sectors that the bytes of each request would fill, at most `sectors`
  u32 tag_requests = 0;
  u32 bytes = 0;
};

namespace detail {

BANKWISE_HD constexpr bool same_sector(const lane_texel& a, const lane_texel& b) {
  if (a.pass != b.pass) return false;
  if (a.order != texel_order::array || b.order != texel_order::array)
    return a.order == b.order && a.byte / 32 == b.byte / 32;
  return a.image == b.image && a.row / 2 == b.row / 2 && a.byte / 16 == b.byte / 16;
}

BANKWISE_HD constexpr bool same_line(const lane_texel& a, const lane_texel& b) {
  if (a.pass != b.pass || a.order != b.order) return false;
  if (a.order == texel_order::linear) return a.byte / 128 == b.byte / 128;
  const unsigned long long x = a.order == texel_order::pitched ? a.row_bytes : a.byte;
  const unsigned long long y = a.order == texel_order::pitched ? b.row_bytes : b.byte;
  return a.image == b.image && a.row / 4 == b.row / 4 && x / 32 == y / 32;
}

}  // namespace detail

// Returns the cost of an access. The texels must be in the order of their lanes. A lane can have several texels. Texels
// of lanes outside of the mask do not count. `width_bytes` is the number of bytes that a lane reads or writes.
// `lanes_of_request` is 4 or 8.
BANKWISE_HD constexpr texture_cost cost_of_texels(u32 mask, const lane_texel* texels, u32 count, u32 width_bytes,
                                                  u32 lanes_of_request) {
  texture_cost c;
  c.bytes = count_lanes(mask) * width_bytes;
  u32 begin = 0;
  for (u32 first = 0; first < lanes_per_warp; first += lanes_of_request) {
    const u32 lanes = count_lanes(mask & lane_range(first, lanes_of_request));
    u32 end = begin, sectors = 0;
    while (end < count && texels[end].lane < first + lanes_of_request) ++end;
    for (u32 i = begin; lanes != 0 && i < end; ++i) {
      if (!has_lane(mask, texels[i].lane)) continue;
      bool is_new_sector = true, is_new_line = true;
      for (u32 j = begin; j < i; ++j) {
        if (!has_lane(mask, texels[j].lane)) continue;
        is_new_sector &= !detail::same_sector(texels[i], texels[j]);
        is_new_line &= !detail::same_line(texels[i], texels[j]);
      }
      sectors += is_new_sector;
      c.tag_requests += is_new_line;
    }
    begin = end;
    c.requests += lanes != 0;
    c.sectors += sectors;
    c.sectors_ideal += detail::smaller(sectors, detail::divide_up(lanes * width_bytes, 32));
  }
  return c;
}

}  // namespace bankwise
