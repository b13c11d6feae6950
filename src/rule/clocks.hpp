// Converts wavefronts to clocks of a multiprocessor's shared pipe. On Turing, a wavefront takes two clocks. All code
// that compares wavefronts with clocks uses this file. For the clocks of one access, see cost::cycles.
#pragma once

#include "bankwise/arch.hpp"

namespace bankwise {

template <class Count>
constexpr Count clocks_of(Count wavefronts, const bank_model& m) {
  return static_cast<Count>(wavefronts * m.clocks_per_wavefront);
}

}  // namespace bankwise
