// A rehearsal of a launch (launch::rehearses): the same blocks with the same arguments, but nobody notices it.
#pragma once

#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// Returns a launch that rehearses `l`. It executes all code, and shares nothing with other launches.
launch rehearsal_of(const launch& l);

// Returns hooks that print nothing, and that accept launches by the kernel and conditions of graphs without an effect.
launch_hooks silent_hooks();

}  // namespace bankwise::emulate
