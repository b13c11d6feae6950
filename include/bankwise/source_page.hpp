// The numbers of Nsight Compute's source page for one warp instruction, in the columns L1 Wavefronts Shared and L1
// Wavefronts Shared Ideal. The page does not read a hardware counter. Nsight Compute computes the page's numbers from
// the addresses with a model. This file implements this model.
//
// Example: two half-warps read the same eight float2, which are 32 bytes apart. Two neighbouring lanes read the same
// float2.
//
//     ld.b64      lane      0   1   2   3  ..  14  15      16  17  ..  30  31
//                 address   0   0  32  32  .. 224 224       0   0  .. 224 224
//
//     hardware    the partners i^1 agree, so the half-warps merge: 8 words in 4 columns of banks        2 wavefronts
//     the page    the merged phase has a conflict, so the page counts each half-warp separately: 2 + 2  4 wavefronts
//
// The model gives the numbers of Nsight Compute 2025.3 for all 17,279 accesses of data/sm_90 whose numbers we read from
// the source page: source_page_wide.csv, source_page_patterns.csv.zst, source_page_uniform.csv, sparse.csv and
// cp_async_cg.csv.zst.
//   1. Narrow loads, stores, matrix operations and atomics: the model gives the numbers of the rule in wavefronts.hpp.
//   2. 64-bit loads: the warp takes one wavefront under two conditions. First, the phases merge by the rule, because
//      the partners i^1 or i^2 have the same addresses in the whole warp. Second, the words of the warp fit into one
//      wavefront. If a condition is not met, each half-warp is counted separately.
//   3. 128-bit loads: if all active lanes have the same address, the warp takes a wavefront for each 256 bytes that its
//      lanes get: one for up to 16 lanes, two for more. Otherwise, each half of the warp is counted separately. A half takes one wavefront if its words fit
//      into one wavefront and its two phases merge. Otherwise, the half is counted as two quarter-warps. The partner
//      of a lane is i^1 for all lanes, or i^2 for all lanes. In the upper half, the phases merge if the partner of each
//      active lane has the same address or is inactive. In the lower half, the condition depends on lane 31. If lane 31
//      is active, the phases merge if the partner of each active lane is active and has the same address. If lane 31 is
//      inactive, the phases always merge.
//   4. Loads through generic pointers are counted like other loads, although the hardware never merges their phases.
//   5. cp.async.ca: for each lane of a phase, the model counts the lanes whose destination or whose source in L1 uses
//      the same bank as this lane. The lane itself is included. The largest of these numbers is the cost of the phase.
//      The model does not simulate how the lanes wait for each other on the hardware.
//   6. cp.async.cg: the model gives the numbers of the rule in cp_async_cg.hpp. If some lanes of the copy write zeros,
//      the model adds the number of point 5.
//   7. The ideal number is the number of requested bytes divided by 128, but at most the number of wavefronts.
#pragma once

#include "bankwise/wavefronts.hpp"

namespace bankwise {

// The numbers of the two columns for an instruction. Two objects are equal if both numbers are equal.
struct page_count {
  u32 wavefronts;  // memory_l1_wavefronts_shared
  u32 ideal;       // memory_l1_wavefronts_shared_ideal
};
BANKWISE_HD constexpr bool operator==(page_count a, page_count b) {
  return a.wavefronts == b.wavefronts && a.ideal == b.ideal;
}
BANKWISE_HD constexpr bool operator!=(page_count a, page_count b) { return !(a == b); }

// Returns the page's numbers for one execution by one warp. On machines that do not merge phases of loads, the page's
// numbers equal the numbers of the rule.
BANKWISE_HD constexpr page_count source_page(const access& a, const bank_model& m = maxwell_model());
// Returns the page's numbers for a copy whose lanes read from the addresses `from`.
BANKWISE_HD constexpr page_count source_page(const access& a, const copy_source& from,
                                             const bank_model& m = maxwell_model());
// Returns the page's numbers if `c`, the result of analyze(), is already known.
BANKWISE_HD constexpr page_count source_page(const access& a, const cost& c, const bank_model& m);
BANKWISE_HD constexpr page_count source_page(const access& a, const copy_source& from, const cost& c,
                                             const bank_model& m);

// --- the model itself -----------------------------------------------------------------------------------------------

namespace detail {

// Whether one wavefront can serve these lanes. This is so if no two different addresses need the same group of adjacent
// banks. A group is as wide as the access.
BANKWISE_HD constexpr bool fits_one_wavefront(const access& a, u32 lanes) {
  const u32 width = a.op.width_bytes, columns = 128 / width;
  u32 wanted[lanes_per_warp] = {};
  u32 taken = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(lanes, i)) continue;
    const u32 column = a.address[i] / width % columns;
    if (has_lane(taken, column) && wanted[column] != a.address[i]) return false;
    wanted[column] = a.address[i];
    taken |= 1u << column;
  }
  return true;
}

// Whether each of these lanes has the same address as its partner, lane i ^ distance. An inactive partner only counts
// as a difference if `strict` is set.
BANKWISE_HD constexpr bool partners_agree(const access& a, u32 lanes, u32 distance, bool strict) {
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(lanes, i)) continue;
    if (has_lane(lanes, i ^ distance) ? a.address[i] != a.address[i ^ distance] : strict) return false;
  }
  return true;
}

BANKWISE_HD constexpr bool partners_agree(const access& a, u32 lanes, bool strict) {
  return partners_agree(a, lanes, 1, strict) || partners_agree(a, lanes, 2, strict);
}

BANKWISE_HD constexpr bool want_one_address(const access& a) {
  u32 first = 0;
  while (first < lanes_per_warp - 1 && !has_lane(a.mask, first)) ++first;
  for (u32 i = first; i < lanes_per_warp; ++i)
    if (has_lane(a.mask, i) && a.address[i] != a.address[first]) return false;
  return true;
}

// Returns the wavefronts of a load that never merges phases. A store takes as many wavefronts as this load.
BANKWISE_HD constexpr u32 without_merging(const access& a, u32 lanes, const bank_model& m) {
  access alone = a;
  alone.op.kind = op_kind::store;
  alone.op.generic = false;
  alone.mask = lanes;
  return wavefronts(alone, m);
}

BANKWISE_HD constexpr u32 page_of_wide_load(const access& a, const cost& c, const bank_model& m) {
  constexpr u32 half = 0x0000ffffu;
  const u32 lower = a.mask & half, upper = a.mask & ~half;
  if (a.op.width_bytes == 8) {
    if (c.merged == merge::none && !a.op.generic) return c.wavefronts;
    return partners_agree(a, a.mask, false) && fits_one_wavefront(a, a.mask) ? 1 : without_merging(a, a.mask, m);
  }
  if (want_one_address(a)) return divide_up(count_lanes(a.mask) * a.op.width_bytes, 2 * bytes_a_pass(m));
  const bool lower_merges = lower != 0 && fits_one_wavefront(a, lower) &&
                            (!has_lane(a.mask, lanes_per_warp - 1) || partners_agree(a, lower, true));
  const bool upper_merges = upper != 0 && fits_one_wavefront(a, upper) && partners_agree(a, upper, false);
  const u32 alone = (lower_merges ? 0 : lower) | (upper_merges ? 0 : upper);
  return static_cast<u32>(lower_merges) + static_cast<u32>(upper_merges) +
         (alone == 0 ? 0 : without_merging(a, alone, m));
}

// Returns the page's wavefronts of a cp.async.ca. The page does not simulate how lanes wait. For each lane of a phase,
// it counts the lanes that share a bank with it. The largest count is the cost of the phase.
BANKWISE_HD constexpr u32 page_of_ca(const access& a, const copy_source& from, const bank_model& m) {
  const u32 size = phase_lanes(a, m);
  u32 sum = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size) {
    u32 most = 0;
    for (u32 i = first; i < first + size; ++i) {
      if (!has_lane(a.mask, i)) continue;
      u32 meets = 0;
      for (u32 j = first; j < first + size; ++j)
        meets += static_cast<u32>(has_lane(a.mask, j) && lanes_meet(a, from, i, j, true, m));
      most = larger(most, meets);
    }
    sum += most;
  }
  return sum;
}

}  // namespace detail

BANKWISE_HD constexpr page_count source_page(const access& a, const cost& c, const bank_model& m) {
  const bool is_wide_load = a.op.kind == op_kind::load && a.op.width_bytes > 4;
  if (!is_wide_load || a.mask == 0 || !m.merges_loads || !detail::is_common_machine(m) ||
      detail::is_misaligned(a, detail::lane_masks(a.mask)))
    return {c.wavefronts, c.ideal};
  const u32 wavefronts = detail::page_of_wide_load(a, c, m);
  return {wavefronts, detail::smaller(wavefronts, detail::trips_of(a.mask, a, m))};
}

BANKWISE_HD constexpr page_count source_page(const access& a, const bank_model& m) {
  return source_page(a, analyze(a, m), m);
}

BANKWISE_HD constexpr page_count source_page(const access& a, const copy_source& from, const cost& c,
                                             const bank_model& m) {
  if (!is_copy(a.op.kind)) return source_page(a, c, m);
  const bool past_l1 = a.op.kind == op_kind::copy_async_cg;
  if (a.mask == 0 || (past_l1 && !fills(a, from))) return {c.wavefronts, c.ideal};
  const u32 all_lanes = detail::page_of_ca(a, from, m), trips = detail::trips_of(a.mask, a, m);
  if (!past_l1) return {all_lanes, detail::smaller(all_lanes, trips)};
  u8 turn[lanes_per_warp] = {};
  const u32 wavefronts = c.wavefronts - detail::ca_turns(a, from, m, true, turn) + all_lanes;
  return {wavefronts, detail::smaller(wavefronts, detail::cg_trips(a, from, m))};
}

BANKWISE_HD constexpr page_count source_page(const access& a, const copy_source& from, const bank_model& m) {
  return source_page(a, from, analyze(a, from, m), m);
}

}  // namespace bankwise
