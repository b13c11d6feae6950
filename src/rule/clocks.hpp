// Wavefronts as clocks of a multiprocessor's shared pipe. On Turing, a wavefront takes two clocks. All code that compares
// wavefronts with clocks uses this file. For the clocks of one access, see cost::cycles.
#pragma once

#include "bankwise/access.hpp"
#include "bankwise/arch.hpp"

namespace bankwise {

template <class Count>
constexpr Count clocks_of(Count wavefronts, const bank_model& m) {
  return static_cast<Count>(wavefronts * m.clocks_per_wavefront);
}

// Wavefronts of a generic atomic that leaves its words in shared memory to later instructions. They do not depend on the
// words (measured on an H100, data/sm_90/instructions.csv.zst).
constexpr u32 refused_wavefronts(op_kind k) { return k == op_kind::compare_and_swap ? 2 : 1; }

}  // namespace bankwise
