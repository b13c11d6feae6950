// ATOMS.CAST.SPIN, a compare-and-swap. Compilers use it in loops that implement atomics that the hardware does not
// have. In each execution, each bank serves one lane. The lanes that were not served repeat the loop.
//
//     lanes 0-3 add to words 0, 32, 1 and 1, which are in banks 0, 0, 1 and 1:
//     banks 0 and 1 serve lanes 0 and 2, and lanes 1 and 3 try again
//
// The cost equals the cost of a compare-and-swap that only the served lanes execute.
#pragma once

#include "bankwise/cost.hpp"

namespace bankwise {

// Returns the mask of the lanes that an instruction serves. For cas_spin, each bank serves its lowest active lane. All
// other operations serve the lanes that lanes_used() returns.
BANKWISE_HD constexpr u32 lanes_served(const access& a, const bank_model& m = maxwell_model()) {
  if (a.op.kind != op_kind::cas_spin) return lanes_used(a);
  const u32 size = phase_lanes(a, m);
  u32 served = 0;
  for (u32 begin = 0; begin < lanes_per_warp; begin += size) {
    bool taken[most_banks] = {};
    for (u32 lane = begin; lane < begin + size; ++lane) {
      if ((a.mask >> lane & 1u) == 0) continue;
      const u32 first = a.address[lane] / m.bank_bytes, last = (a.address[lane] + a.op.width_bytes - 1u) / m.bank_bytes;
      bool free = true;
      for (u32 word = first; word <= last; ++word) free = free && !taken[word % m.banks];
      if (!free) continue;
      for (u32 word = first; word <= last; ++word) taken[word % m.banks] = true;
      served |= 1u << lane;
    }
  }
  return served;
}

namespace detail {

// Returns the compare-and-swap that only the served lanes execute. Its cost is the same.
BANKWISE_HD constexpr access without_spin(const access& a, const bank_model& m) {
  access served = a;
  served.op.kind = op_kind::compare_and_swap;
  served.mask = lanes_served(a, m);
  return served;
}
// Returns the "ideal" wavefronts. All active lanes count, even lanes that are not served.
BANKWISE_HD constexpr u32 spin_ideal(const access& a, const cost& c, const bank_model& m) {
  return smaller(c.wavefronts, 2 * passes_for(count_lanes(a.mask) * a.op.width_bytes, m));
}

}  // namespace detail
}  // namespace bankwise
