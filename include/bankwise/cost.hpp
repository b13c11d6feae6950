// The cost of an instruction: the wavefronts that Nsight Compute counts, and the clocks that they take.
//
//     float4 v = tile[lane];       512 bytes, 128 in each wavefront:    4 wavefronts, ideal 4, 4 passes, 4 cycles
//     float v = tile[lane * 32];   32 words of one bank:               32 wavefronts, ideal 1, 1 pass, 32 cycles
//     atomicExch(&last, lane);     one word, no sharing:               32 wavefronts, reachable 1, 32 cycles
#pragma once

#include "bankwise/phases.hpp"

namespace bankwise {

// The cost of one execution by one warp. Cycles are clocks of a multiprocessor's shared-memory pipe.
struct cost {
  u32 wavefronts;  // passes of the data pipe, as the hardware counter counts them
  // Nsight Compute's "ideal": requested bytes divided by the width of the pipe, but at most `wavefronts`
  u32 ideal;
  u32 reachable;  // fewest wavefronts that any placement of these words needs
  u32 passes;     // passes of the register file; `cycles` is at least this number
  u32 cycles;     // clocks of the shared pipe, if it always has work
  merge merged;
};

// Returns the excess wavefronts, as Nsight Compute defines them.
BANKWISE_HD constexpr u32 excess(const cost& c) { return c.wavefronts - c.ideal; }

// bytes_a_pass() returns the number of bytes that one pass moves: one row of every bank. passes_for() returns the
// fewest passes that can move a number of bytes.
BANKWISE_HD constexpr u32 bytes_a_pass(const bank_model& m) { return static_cast<u32>(m.banks) * m.row_bytes; }
BANKWISE_HD constexpr u32 passes_for(u32 bytes, const bank_model& m) {
  return detail::divide_up(bytes, bytes_a_pass(m));
}

// Returns the number of register-file passes of an operation, if each pass moves `pass_bytes` bytes.
BANKWISE_HD constexpr u32 register_passes(operation o, u32 pass_bytes, merge merged) {
  if (is_matrix(o.kind)) return o.matrices;
  if (o.kind != op_kind::load && o.kind != op_kind::store) return 1;
  const u32 full = detail::larger(1, o.width_bytes * lanes_per_warp / pass_bytes);
  return merged == merge::none || full == 1 ? full : full / 2;
}

// Returns the fewest cycles of an atomic with a result, as a rounded number. On an H200, an atomic of 32 bits takes 1.9
// cycles, an atomic of 64 bits takes 2.6 cycles, and a compare-and-swap of 64 bits takes 4.4 cycles
// (data/sm_90/cycles.csv.zst). The time of the 64-bit compare-and-swap varies by up to 15 % for unknown reasons.
BANKWISE_HD constexpr u32 return_cycles(operation o) {
  if (!o.returns) return 0;
  return o.width_bytes == 4 ? 2 : o.kind == op_kind::compare_and_swap ? 4 : 3;
}

namespace detail {

// Completes the cost of an instruction from the cost of its phases. `pass_bytes` is a parameter, so that on the common
// machine it is a constant.
BANKWISE_HD constexpr void finish(cost& c, const access& a, u32 pass_bytes, u32 clocks_per_wavefront) {
  if (a.op.kind == op_kind::compare_and_swap) {
    c.wavefronts *= 2;
    c.reachable *= 2;
  }
  // A matrix operation moves eight rows for each matrix, even if lanes are inactive. A compare-and-swap moves two
  // values. These facts were measured, for ldmatrix and stmatrix .x1 and .x2, and for atom.cas.
  const u32 lanes = is_matrix(a.op.kind) ? a.op.matrices * 8 : count_lanes(a.mask);
  const u32 trips = divide_up(lanes * a.op.width_bytes, pass_bytes);
  c.ideal = smaller(c.wavefronts, a.op.kind == op_kind::compare_and_swap ? 2 * trips : trips);
  c.reachable = smaller(c.reachable, c.wavefronts);
  c.passes = register_passes(a.op, pass_bytes, c.merged);
  c.cycles = larger(larger(c.wavefronts, c.passes), return_cycles(a.op)) * clocks_per_wavefront;
}

}  // namespace detail
}  // namespace bankwise
