// The rule: the functions that compute the cost of one warp instruction on shared memory, and the reasons for the cost.
//
// A wide load: lane t reads float4 number t of a tile.
//
//     ld.b128     lanes 0-7      lanes 8-15     lanes 16-23    lanes 24-31        four phases (quarter-warps)
//     words       0..31          32..63         64..95         96..127
//     banks       0..31          0..31          0..31          0..31              each bank once in each phase
//     wavefronts  1           +  1           +  1           +  1           = 4
//
// Lane t reads float4 number t / 2. Lanes 2k and 2k+1 want the same address, so neighbouring phases merge.
//
//     ld.b128     lanes 0-15                    lanes 16-31                       two merged phases
//     words       0..31                         32..63
//     wavefronts  1                          +  1                          = 2
//
// The rule was measured on an H200 (sm_90). The rule's wavefronts equal the hardware counter on every pattern of
// data/sm_90.
//   1. An access of up to 32 bits a lane is one phase. An access of 64 bits a lane has two phases (half-warps). An
//      access of 128 bits a lane has four phases (quarter-warps). For each bank, the rule counts the distinct words
//      that the phase needs. The largest of these counts is the number of wavefronts of the phase. The wavefronts of
//      the instruction are the sum over its phases.
//   2. Loads that do not use a generic pointer can merge neighbouring phases. Two phases of 64 bits then become one
//      phase, and four phases of 128 bits become two phases. The phases merge if the partner i^1 of every active lane i
//      is inactive or has the same address as lane i. The phases also merge if this is true for the partner i^2 of
//      every active lane i.
//   3. ldmatrix and stmatrix: each matrix is one phase. A matrix has eight rows of 16 bytes. These phases never merge.
//   4. Atomics: lanes that want the same word do not share a wavefront. Each of these lanes takes its own wavefront.
//      The only exception is the increment that counts lanes (ATOMS.POPC.INC), whose lanes share a wavefront. A
//      compare-and-swap takes each wavefront twice.
//   5. cp.async.ca: within a phase, a lane waits for every earlier lane that uses the same bank for its destination, or
//      the same bank for its source in L1. Lanes that write to the same word do not share a wavefront. If the source is
//      contiguous, the cost equals the cost of a store whose lanes do not share wavefronts.
//   6. cp.async.cg moves pieces of cache lines. cp_async_cg.hpp contains its rule.
//
// Other headers contain the parts of the rule. phases.hpp computes which lanes are served together. cost.hpp contains
// the numbers of a cost. bank_cost.hpp computes the cost in the banks. explanation.hpp computes the reasons for the
// cost. cp_async.hpp contains the rule of copies, cas_spin.hpp the rule of atomics that retry, and one_broadcast.hpp
// the rule of the oldest GPUs.
#pragma once

#include "bankwise/bank_cost.hpp"
#include "bankwise/cas_spin.hpp"
#include "bankwise/cost.hpp"
#include "bankwise/cp_async.hpp"
#include "bankwise/explanation.hpp"
#include "bankwise/phases.hpp"

namespace bankwise {

// Returns the cost of one instruction. `valid(a.op)` must be true. On hardware, every address must be a multiple of the
// width. analyze() also accepts misaligned addresses, and counts each of their words separately. If no lane is active,
// all numbers of the cost are zero.
BANKWISE_HD constexpr cost analyze(const access& a, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr u32 wavefronts(const access& a, const bank_model& m = maxwell_model()) {
  return analyze(a, m).wavefronts;
}

// Returns the cost of a copy whose lanes read from the addresses `from`. The function above assumes that the source is
// contiguous.
BANKWISE_HD constexpr cost analyze(const access& a, const copy_source& from, const bank_model& m = maxwell_model());

// Returns the result of analyze(), and all phases, banks, words and lanes of the access.
BANKWISE_HD constexpr explanation explain(const access& a, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr explanation explain(const access& a, const copy_source& from,
                                          const bank_model& m = maxwell_model());

// Returns the fewest wavefronts that any layout needs. This is `reachable`, or more if several lanes need the same word
// and cannot share a wavefront.
BANKWISE_HD constexpr u32 layout_floor(const access& a, const bank_model& m = maxwell_model());

// --- which part answers ---------------------------------------------------------------------------------------------

BANKWISE_HD constexpr cost analyze(const access& a, const copy_source& from, const bank_model& m) {
  return is_copy(a.op.kind) ? detail::cost_of_copy(a, from, m) : analyze(a, m);
}

BANKWISE_HD constexpr cost analyze(const access& a, const bank_model& m) {
  if (a.op.kind == op_kind::copy_async_cg) return detail::cost_of_copy(a, contiguous_source(), m);
  if (a.op.kind != op_kind::cas_spin) return detail::cost_of_banks(a, m);
  cost c = detail::cost_of_banks(detail::without_spin(a, m), m);
  c.ideal = detail::spin_ideal(a, c, m);
  return c;
}

BANKWISE_HD constexpr explanation explain(const access& a, const copy_source& from, const bank_model& m) {
  return is_copy(a.op.kind) ? detail::explain_copy(a, from, m) : explain(a, m);
}

BANKWISE_HD constexpr explanation explain(const access& a, const bank_model& m) {
  if (a.op.kind == op_kind::copy_async_cg) return detail::explain_copy(a, contiguous_source(), m);
  if (a.op.kind != op_kind::cas_spin) return detail::explain_banks(a, m);
  explanation e = detail::explain_banks(detail::without_spin(a, m), m);
  e.total.ideal = detail::spin_ideal(a, e.total, m);
  return e;
}

BANKWISE_HD constexpr u32 layout_floor(const access& a, const bank_model& m) {
  if (a.op.kind == op_kind::cas_spin) return analyze(a, m).wavefronts;
  if (shares_words(a.op.kind)) return analyze(a, m).reachable;
  if (detail::is_misaligned(a, detail::lane_masks(lanes_used(a))) || !detail::is_common_machine(m))
    return explain(a, m).layout_floor;
  const u32 size = phase_lanes(a, m);
  u32 floor = 0;
  for (u32 first = 0; first < lanes_per_warp; first += size) {
    u32 longest = 0;  // longest queue of this phase
    for (u32 i = first; i < first + size; ++i) {
      if (!has_lane(a.mask, i)) continue;
      u32 queue = 0;
      for (u32 j = first; j < first + size; ++j)
        queue += static_cast<u32>(has_lane(a.mask, j)) & static_cast<u32>(a.address[j] == a.address[i]);
      longest = detail::larger(longest, queue);
    }
    floor += longest;
  }
  return a.op.kind == op_kind::compare_and_swap ? floor * 2 : floor;
}

}  // namespace bankwise
