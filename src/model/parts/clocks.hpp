// Wavefronts as clocks of a multiprocessor's shared pipe: a wavefront takes two of them on Turing. Whoever compares the two asks
// here; the rule itself has what one access takes (cost::cycles).
#pragma once

#include "bankwise/arch.hpp"

namespace bankwise {

template <class Count>
constexpr Count clocks_of(Count wavefronts, const bank_model& m) {
  return static_cast<Count>(wavefronts * m.clocks_per_wavefront);
}

}  // namespace bankwise
