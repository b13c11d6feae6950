// Converts wavefronts to clocks of a multiprocessor's shared pipe: on Turing, a wavefront takes two clocks. Comparisons
// of wavefronts with clocks use this file. The rule itself has the clocks of one access (cost::cycles).
#pragma once

#include "bankwise/arch.hpp"

namespace bankwise {

template <class Count>
constexpr Count clocks_of(Count wavefronts, const bank_model& m) {
  return static_cast<Count>(wavefronts * m.clocks_per_wavefront);
}

}  // namespace bankwise
