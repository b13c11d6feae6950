// The rule on the device. The lanes of an access compute its cost together. The result equals the result of analyze()
// for 32 banks of one word and aligned addresses. All GPUs since sm_70 have such banks (tests/record/patch_test.cpp).
#pragma once

#include "bankwise/wavefronts.hpp"
#include "launch_table.hpp"

namespace bankwise::record {

__device__ __forceinline__ bool lowest_of(u32 lanes, u32 lane) {
  return lanes != 0 && static_cast<u32>(__ffs(static_cast<int>(lanes)) - 1) == lane;
}

// Finds the largest `value` in each group of lanes. Returns the sum of these largest values. Values are at most 32.
// `group` is the mask of the lanes in the caller's group.
__device__ __forceinline__ u32 sum_of_maxima(u32 mask, u32 lane, u32 group, u32 value) {
  u32 largest = 0;
  bool among = true;
#pragma unroll 1
  for (int bit = 5; bit >= 0; --bit) {
    const bool has = among && (value >> bit & 1u) != 0;
    if ((__ballot_sync(mask, has) & group) == 0) continue;
    largest |= 1u << bit;
    among = has;
  }
  if (!lowest_of(group, lane)) largest = 0;
  u32 sum = 0;
#pragma unroll 1
  for (int bit = 5; bit >= 0; --bit)
    sum += static_cast<u32>(__popc(__ballot_sync(mask, (largest >> bit & 1u) != 0))) << bit;
  return sum;
}

// Computes the cost of an access. All lanes of `mask` must call it. Calls `tell(figure, number)` as soon as a figure is
// known, because a patch has only 24 registers. Returns removable << 16 | wavefronts.
template <class Tell>
__device__ __forceinline__ u32 judge_warp(operation op, u32 mask, u32 lane, u32 address, Tell tell) {
  const bool spin = op.kind == op_kind::cas_spin, twice = spin || op.kind == op_kind::compare_and_swap;
  const u32 shift = op.width_bytes == 16 ? 4 : op.width_bytes == 8 ? 3 : 2;
  u32 used = mask, lanes = static_cast<u32>(__popc(mask));
  if (is_matrix(op.kind)) {
    lanes = op.matrices * 8u;
    if (op.matrices < 4) used &= (1u << lanes) - 1u;
  }
  tell(figure::lanes, static_cast<u32>(__popc(mask)));

  u32 size = 128u >> shift;  // number of lanes in a phase
  merge merged = merge::none;
  if (op.kind == op_kind::load && shift > 2) {
    const u32 differ = mask & ~__match_any_sync(mask, address);
    if (__all_sync(mask, (differ >> (lane ^ 1u) & 1u) == 0))
      merged = merge::partner_1;
    else if (__all_sync(mask, (differ >> (lane ^ 2u) & 1u) == 0))
      merged = merge::partner_2;
    if (merged != merge::none) size *= 2;
  }
  const u32 group = (used >> lane & 1u) == 0 ? 0 : used & lane_range(lane / size * size, size);
  const u32 phases = static_cast<u32>(__popc(__ballot_sync(mask, lowest_of(group, lane)))) << (twice ? 1 : 0);
  tell(figure::reachable, phases);

  const u32 unit = address >> shift;
  const bool share = shares_words(op.kind);
  u32 floor = phases, counted = used;
  {
    const u32 same = __match_any_sync(mask, unit) & group;
    if (share)
      counted = __ballot_sync(mask, lowest_of(same, lane));
    else
      floor = sum_of_maxima(mask, lane, group, static_cast<u32>(__popc(same))) << (twice ? 1 : 0);
  }
  tell(figure::layout_floor, floor);
  u32 wavefronts = phases;
  if (!spin) {
    const u32 column = __match_any_sync(mask, unit & ((128u >> shift) - 1u)) & group;
    wavefronts = sum_of_maxima(mask, lane, group, static_cast<u32>(__popc(column & counted))) << (twice ? 1 : 0);
  }
  tell(figure::wavefronts, wavefronts);
  const u32 trips = (lanes * op.width_bytes + 127) / 128 << (twice ? 1 : 0);
  tell(figure::ideal, min(wavefronts, trips));
  u32 least = used == 0 ? 0 : register_passes(op, 128, merged);
  tell(figure::passes, least);
  if (used != 0) least = max(least, return_cycles(spin ? cas(op.width_bytes) : op));
  tell(figure::cycles, max(wavefronts, least));
  if (spin) least = max(1u, return_cycles(op));
  tell(figure::best_cycles, max(floor, least));
  return (wavefronts - phases) << 16 | wavefronts;
}

}  // namespace bankwise::record
