// The cost of an access to global memory, and the reasons for the cost: the sectors and lines, and the bytes that each
// lane accesses.
//
//     const global_explanation e = explain(a);          float x[], every second float: lane t reads address t * 8
//
//     e.total.sectors                              8, ideal 4
//     e.sector_at[1]                               sector 1: lanes 4 to 7 access bytes 0-3, 8-11, 16-19 and 24-27
//     e.line_at[0]                                 line 0, bytes 0 to 127: lanes 0 to 15, sectors 0 to 3
//     e.used_in_part                               8: every sector contains bytes that no lane accesses
//     e.distinct_bytes                             128 of the 256 bytes that the sectors move
#pragma once

#include "bankwise/assert.hpp"
#include "bankwise/global_sectors.hpp"

namespace bankwise {

// A sector that is moved, and the lanes that access it.
struct wanted_sector {
  u64 sector;  // address / 32
  u32 lanes;   // mask of lanes
  u32 bytes;   // a bit for each of the sector's 32 bytes; it is set if a lane accesses the byte
};

// A line that L1 looks up.
struct wanted_line {
  u64 line;  // address / 128
  u32 lanes;
  u32 first_sector;  // index of the line's first sector in sector_at
  u32 sectors;       // number of the line's sectors
};

// The cost of an access, and its sectors and lines with the lanes that access them.
struct global_explanation {
  global_cost total;
  u32 sectors;                              // number of sectors, equal to total.sectors
  wanted_sector sector_at[lanes_per_warp];  // the sectors, sorted by address
  u32 lines;                                // number of lines, equal to total.tag_requests
  wanted_line line_at[lanes_per_warp];      // the lines, sorted by address
  // number of bytes that lanes access; a byte counts once even if several lanes access it
  u32 distinct_bytes;
  u32 used_in_part;  // number of sectors with bytes that no lane accesses
};

namespace detail {

// Returns the lanes that are served together with lane `i`: they access the same block of memory.
BANKWISE_HD constexpr u32 lanes_with(const global_access& a, u32 i, u32 block_bytes) {
  u32 lanes = 0;
  for (u32 j = 0; j < lanes_per_warp; ++j)
    if (has_lane(a.mask, j) && same_block(a, i, j, block_bytes)) lanes |= 1u << j;
  return lanes;
}

BANKWISE_HD constexpr u32 lowest_lane(u32 lanes) {
  u32 lane = 0;
  while (lane < lanes_per_warp && !has_lane(lanes, lane)) ++lane;
  return lane;
}

// Inserts a sector that `lanes` access. The sectors are sorted by address, then by lane.
BANKWISE_HD constexpr void add_sector(global_explanation& e, const global_access& a, u32 lanes) {
  wanted_sector s = {a.addresses[lowest_lane(lanes)] / sector_bytes, lanes, 0};
  for (u32 j = 0; j < lanes_per_warp; ++j)
    if (has_lane(lanes, j)) {
      const u32 first = static_cast<u32>(a.addresses[j] % sector_bytes);
      s.bytes |= lane_range(first, a.width_bytes < sector_bytes - first ? a.width_bytes : sector_bytes - first);
    }
  u32 at = e.sectors++;
  for (; at > 0 && e.sector_at[at - 1].sector > s.sector; --at) e.sector_at[at] = e.sector_at[at - 1];
  e.sector_at[at] = s;
}

BANKWISE_HD constexpr void add_line(global_explanation& e, const global_access& a, u32 lanes) {
  const wanted_line l = {a.addresses[lowest_lane(lanes)] / line_bytes, lanes, 0, 0};
  u32 at = e.lines++;
  for (; at > 0 && e.line_at[at - 1].line > l.line; --at) e.line_at[at] = e.line_at[at - 1];
  e.line_at[at] = l;
}

}  // namespace detail

// Explains an access. If no lane is active, the result is all zeros.
BANKWISE_HD constexpr global_explanation explain(const global_access& a) {
  global_explanation e = {};
  e.total = cost_of(a);
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(a.mask, i)) continue;
    if (const u32 lanes = detail::lanes_with(a, i, sector_bytes); detail::lowest_lane(lanes) == i)
      detail::add_sector(e, a, lanes);
    if (const u32 lanes = detail::lanes_with(a, i, line_bytes); detail::lowest_lane(lanes) == i)
      detail::add_line(e, a, lanes);
  }
  u32 next = 0;
  for (u32 i = 0; i < e.lines; ++i) {
    e.line_at[i].first_sector = next;
    while (next < e.sectors && e.sector_at[next].sector / (line_bytes / sector_bytes) == e.line_at[i].line) ++next;
    e.line_at[i].sectors = next - e.line_at[i].first_sector;
  }
  for (u32 i = 0; i < e.sectors; ++i) {
    e.used_in_part += e.sector_at[i].bytes != full_mask;
    // cp.async.cg can move a sector twice, but each of its bytes counts once.
    u32 before = 0;
    for (u32 j = 0; j < i; ++j)
      if (e.sector_at[j].sector == e.sector_at[i].sector) before |= e.sector_at[j].bytes;
    e.distinct_bytes += count_lanes(e.sector_at[i].bytes & ~before);
  }
  return e;
}

// Makes a global_access from a function of the lane, like make_access for shared memory.
BANKWISE_CALLS_YOURS
template <class ByteAddress>
BANKWISE_HD constexpr global_access make_global_access(u32 width_bytes, const ByteAddress& byte_address,
                                                       u32 mask = full_mask) {
  global_access a = {};
  a.mask = mask;
  a.width_bytes = width_bytes;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    a.addresses[lane] = static_cast<u64>(byte_address(lane));
    a.to[lane] = lane * piece_bytes;
  }
  return a;
}

// If the assertion of the macro below fails, the compiler's error contains this template's name and arguments.
template <u32 sectors_needed, u32 sectors_allowed>
struct uncoalesced {
  static_assert(sectors_needed <= sectors_allowed, "bankwise: this access touches more sectors than allowed");
  static constexpr bool checked = true;
};

}  // namespace bankwise

// Asserts that the access moves at most `allowed` sectors of 32 bytes.
#define BANKWISE_ASSERT_SECTORS(access_, allowed_) \
  static_assert(::bankwise::uncoalesced<::bankwise::cost_of((access_)).sectors, (allowed_)>::checked, "")
