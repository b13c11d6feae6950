// Sets of lanes of a warp as masks: bit i is lane i.
//
//     lane_range(8, 8)          0x0000ff00      the second quarter-warp
//     has_lane(0xff00, 9)       true
//     count_lanes(0xff00)       8
#pragma once

#include "bankwise/config.hpp"

namespace bankwise {

// Returns the number of lanes in a mask.
BANKWISE_HD constexpr u32 count_lanes(u32 mask) {
  mask = mask - (mask >> 1 & 0x55555555u);
  mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
  return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

// Whether a mask contains a lane.
BANKWISE_HD constexpr bool has_lane(u32 mask, u32 lane) { return (mask >> lane & 1u) != 0; }

// Returns the mask of `count` lanes. `first` is the lowest of these lanes.
BANKWISE_HD constexpr u32 lane_range(u32 first, u32 count) {
  return (count >= lanes_per_warp ? full_mask : (1u << count) - 1u) << first;
}

namespace detail {

// larger() and smaller() replace functions of <algorithm>, because the headers do not include standard headers.
BANKWISE_HD constexpr u32 larger(u32 a, u32 b) { return a > b ? a : b; }
BANKWISE_HD constexpr u32 smaller(u32 a, u32 b) { return a < b ? a : b; }
BANKWISE_HD constexpr u32 divide_up(u32 a, u32 b) { return (a + b - 1) / b; }

// A number for each lane: all ones for an active lane, and zero for an inactive lane. These numbers replace branches in
// loops over lanes.
struct lane_masks {
  u32 at[lanes_per_warp] = {};

  BANKWISE_HD constexpr explicit lane_masks(u32 mask) {
    constexpr u32 bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    for (u32 i = 0; i < lanes_per_warp; i += 8)
      for (u32 j = 0; j < 8; ++j) at[i + j] = (mask >> i & bit[j]) != 0 ? full_mask : 0;
  }
};

}  // namespace detail
}  // namespace bankwise
