// The phases of an instruction. The lanes of a phase are served together. The number of lanes in a phase depends on the
// width of the access, and on whether neighbouring phases merge.
//
//                 lanes 0-7     lanes 8-15    lanes 16-23   lanes 24-31
//     ld.b32      one phase: the warp
//     ld.b64      half-warp                   half-warp                       1 if they merge
//     ld.b128     quarter       quarter       quarter       quarter           2 if they merge
//
// A wide load merges its phases in two cases. In the first case, the partner i^1 of every active lane i is inactive or
// has the same address as lane i. In the second case, this is true for the partner i^2 of every active lane i.
//
//     lane       0    1    2    3    4    5  ..
//     address    0    0   16   16   32   32  ..      partners i^1 agree     merge::partner_1
//     address    0   16    0   16   32   48  ..      partners i^2 agree     merge::partner_2
//     address    0   16   32   48   64   80  ..      neither                merge::none
#pragma once

#include "bankwise/access.hpp"
#include "bankwise/arch.hpp"
#include "bankwise/lanes.hpp"

namespace bankwise {

// The reason why neighbouring phases of a wide load are served as one phase.
enum class merge : u8 {
  none,       // phases do not merge
  partner_1,  // every lane's partner i^1 is inactive or wants the same address
  partner_2,  // every lane's partner i^2 is inactive or wants the same address
};

// Returns the number of neighbouring lanes in a phase that is not merged. In a matrix operation, a phase is one matrix
// and has 8 lanes.
BANKWISE_HD constexpr u32 phase_lanes(const access& a, const bank_model& m) {
  if (is_matrix(a.op.kind)) return 8;
  return m.phase_lanes[a.op.width_bytes <= 4 ? 0 : a.op.width_bytes == 8 ? 1 : 2];
}

namespace detail {

BANKWISE_HD constexpr merge merge_of(const access& a, const bank_model& m, const lane_masks& on) {
  if (!m.merges_loads || a.op.kind != op_kind::load || a.op.width_bytes <= 4 || a.op.generic) return merge::none;
  const u32 *x = a.address, *o = on.at;
  u32 differ_1 = 0, differ_2 = 0;  // not 0 if an active partner has a different address
  for (u32 i = 0; i < lanes_per_warp; i += 4) {
    differ_1 |= ((x[i] ^ x[i + 1]) & o[i] & o[i + 1]) | ((x[i + 2] ^ x[i + 3]) & o[i + 2] & o[i + 3]);
    differ_2 |= ((x[i] ^ x[i + 2]) & o[i] & o[i + 2]) | ((x[i + 1] ^ x[i + 3]) & o[i + 1] & o[i + 3]);
  }
  return differ_1 == 0 ? merge::partner_1 : differ_2 == 0 ? merge::partner_2 : merge::none;
}

// Returns the lanes of a phase for loads of 16 bytes, if neighbouring lanes are not served together. With 4 phases, a
// phase has four lanes of each half. With 2 phases, it has sixteen lanes.
BANKWISE_HD constexpr u32 crossed_lanes(load_order order, u32 index) {
  if (order == load_order::sixteens) return index == 0 ? 0x0ff0f00fu : 0xf00f0ff0u;
  return 0xfu << 4 * index | 0xfu << (16 + 4 * (index ^ 1u));
}

// Calls visit(index, lanes) for every phase, after phases have merged. For a matrix operation, each matrix is a phase.
template <class Visit>
BANKWISE_HD constexpr void each_phase(const access& a, const bank_model& m, merge merged, Visit&& visit) {
  const u32 used = lanes_used(a), size = phase_lanes(a, m) * (merged == merge::none ? 1 : 2);
  u32 index = 0;
  if (m.wide_loads != load_order::neighbours && a.op.kind == op_kind::load && a.op.width_bytes == 16) {
    const u32 groups = lanes_per_warp / size;
    for (u32 group = 0; group < groups; ++group)
      if (const u32 lanes = used & crossed_lanes(m.wide_loads, group)) visit(index++, lanes);
    return;
  }
  for (u32 first = 0; first < lanes_per_warp; first += size)
    if (const u32 lanes = used & lane_range(first, size)) visit(index++, lanes);
}

}  // namespace detail

// Returns whether a load merges phases, and which partners cause the merging. Returns merge::none for every operation
// except a wide load.
BANKWISE_HD constexpr merge merge_of(const access& a, const bank_model& m = maxwell_model()) {
  return detail::merge_of(a, m, detail::lane_masks(a.mask));
}

}  // namespace bankwise
