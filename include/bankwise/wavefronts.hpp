// The cost of one warp instruction on shared memory, and the reasons. This file is the rule; the files that it names
// are its parts.
//
// A wide load, lane t reading float4 number t of a tile:
//
//     ld.b128     lanes 0-7      lanes 8-15     lanes 16-23    lanes 24-31        four phases (quarter-warps)
//     words       0..31          32..63         64..95         96..127
//     banks       0..31          0..31          0..31          0..31              every bank once a phase
//     wavefronts  1           +  1           +  1           +  1           = 4
//
// and lane t reading float4 number t / 2: lanes 2k and 2k+1 want the same address, so neighbouring phases merge:
//
//     ld.b128     lanes 0-15                    lanes 16-31                       two merged phases
//     words       0..31                         32..63
//     wavefronts  1                          +  1                          = 2
//
// The rule, measured on an H200 (sm_90) and equal to the hardware counter on every pattern of data/sm_90:
//   1. Accesses up to 32 bits are one phase, 64 bits two half-warps, 128 bits four quarter-warps. A phase takes as
//      many wavefronts as its fullest bank has distinct words; the instruction takes the sum.
//   2. Loads that do not use a generic pointer: lane i has the partner i^1. If every active lane's partner is inactive
//      or has the same address, neighbouring phases merge once: 64-bit 2 to 1, 128-bit 4 to 2. They also merge if this
//      holds for all partners i^2.
//   3. ldmatrix and stmatrix: one phase of eight 16-byte rows for each matrix. These phases never merge.
//   4. Atomics: lanes on one word do not share it, but take turns; compare-and-swap takes every turn twice.
//      The increment that counts lanes (ATOMS.POPC.INC) does share.
//   5. cp.async.ca: within a phase a lane waits for every earlier lane that shares a bank with it, of its destination
//      or of its source in L1; lanes on one word do not share. From a contiguous source: like stores whose lanes do not
//      share words.
//   6. cp.async.cg moves pieces of lines: cp_async_cg.hpp.
// Other headers have the parts. phases.hpp has the lanes that are served together, cost.hpp the numbers, bank_cost.hpp
// the cost of each bank, and explanation.hpp every reason. cp_async.hpp is for copies and their sources, cas_spin.hpp
// for lanes that retry, and one_broadcast.hpp for the oldest GPUs.
#pragma once

#include "bankwise/bank_cost.hpp"
#include "bankwise/cas_spin.hpp"
#include "bankwise/cost.hpp"
#include "bankwise/cp_async.hpp"
#include "bankwise/explanation.hpp"
#include "bankwise/phases.hpp"

namespace bankwise {

// The cost of one instruction. `a.op` must be valid(), and every address must be a multiple of the width if the
// hardware requires it; for misaligned addresses, each word is counted separately. Without active lanes, all numbers
// are zero.
BANKWISE_HD constexpr cost analyze(const access& a, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr u32 wavefronts(const access& a, const bank_model& m = maxwell_model()) {
  return analyze(a, m).wavefronts;
}

// The cost of a copy whose lanes read from `from`. Without a source: contiguous_source().
BANKWISE_HD constexpr cost analyze(const access& a, const copy_source& from, const bank_model& m = maxwell_model());

// As analyze(), with every phase, bank, word and lane.
BANKWISE_HD constexpr explanation explain(const access& a, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr explanation explain(const access& a, const copy_source& from,
                                          const bank_model& m = maxwell_model());

// The fewest wavefronts that a layout can reach: `reachable`, or more if lanes that cannot share a word queue for it.
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
