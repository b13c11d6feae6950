// The cost of waves of 64 lanes. An access has 32 lanes, so it is one half of a wave.
//
//     cdna3           halves are served separately: the wave costs the sum of both
//     64x4:64,32,16   up to 64 lanes are served together, so that both halves may share a wavefront
#pragma once

#include "bankwise/wavefronts.hpp"
#include "expr/names/machine_names.hpp"

namespace bankwise {

struct wave_share {
  u32 halves[2] = {}, whole = 0;
};
wave_share wave_cost(const access& lower, const access& upper, const machine& on);

}  // namespace bankwise
