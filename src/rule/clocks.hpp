// Wavefronts as clocks of a multiprocessor's shared pipe: a wavefront takes two of them on Turing. Comparisons of the
// two use this file; the rule itself has the clocks of one access (cost::cycles).
#pragma once

#include "bankwise/arch.hpp"

namespace bankwise {

template <class Count>
constexpr Count clocks_of(Count wavefronts, const bank_model& m) {
  return static_cast<Count>(wavefronts * m.clocks_per_wavefront);
}

}  // namespace bankwise
