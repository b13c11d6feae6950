// The rule: computes the cost of one warp instruction on shared memory, and the reasons. It uses the headers listed
// below.
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
// The rule was measured on an H200 (sm_90). It equals the hardware counter on every pattern of data/sm_90.
//   1. An access of up to 32 bits a lane is one phase. An access of 64 bits has two phases (half-warps), and an access
//      of 128 bits has four phases (quarter-warps). A phase takes as many wavefronts as its fullest bank has distinct
//      words. The wavefronts of the instruction are the sum over its phases.
//   2. Loads that do not use a generic pointer may merge neighbouring phases: two phases of 64 bits become one phase,
//      and four phases of 128 bits become two. They merge if every active lane's partner i^1 is inactive or has the
//      same address. They also merge if this is true for every active lane's partner i^2.
//   3. ldmatrix and stmatrix have one phase for each matrix, of eight 16-byte rows. These phases never merge.
//   4. Atomics: lanes that want the same word do not share a wavefront. Each of these lanes takes its own wavefront. A
//      compare-and-swap takes each wavefront twice. Only the increment that counts lanes (ATOMS.POPC.INC) shares words.
//   5. cp.async.ca: within a phase, a lane waits for every earlier lane that uses the same bank for its destination, or
//      the same bank for its source in L1. Lanes do not share words. If the source is contiguous, the cost is that of
//      stores whose lanes do not share words.
//   6. cp.async.cg moves pieces of lines: cp_async_cg.hpp.
//
// Other headers contain the parts of the rule. phases.hpp computes which lanes are served together. cost.hpp contains
// the numbers, bank_cost.hpp the cost of each bank, and explanation.hpp every reason. cp_async.hpp is for copies with a
// source, cas_spin.hpp for lanes that retry, and one_broadcast.hpp for the oldest GPUs.
#pragma once

#include "bankwise/bank_cost.hpp"
#include "bankwise/cas_spin.hpp"
#include "bankwise/cost.hpp"
#include "bankwise/cp_async.hpp"
#include "bankwise/explanation.hpp"
#include "bankwise/phases.hpp"

namespace bankwise {

// Returns the cost of one instruction. `a.op` must be valid(). On hardware, every address must be a multiple of the
// width. The rule also accepts misaligned addresses, and counts each of their words separately. If no lane is active,
// all numbers are zero.
BANKWISE_HD constexpr cost analyze(const access& a, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr u32 wavefronts(const access& a, const bank_model& m = maxwell_model()) {
  return analyze(a, m).wavefronts;
}

// Returns the cost of a copy whose lanes read from the addresses `from`. The function above assumes
// contiguous_source().
BANKWISE_HD constexpr cost analyze(const access& a, const copy_source& from, const bank_model& m = maxwell_model());

// Returns the cost of analyze() with every phase, bank, word and lane.
BANKWISE_HD constexpr explanation explain(const access& a, const bank_model& m = maxwell_model());
BANKWISE_HD constexpr explanation explain(const access& a, const copy_source& from,
                                          const bank_model& m = maxwell_model());

// Returns the fewest wavefronts of any layout. This is `reachable`, or more if lanes that cannot share a word queue for
// it.
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
