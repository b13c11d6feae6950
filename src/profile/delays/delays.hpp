// Finds what delays a launch apart from its wavefronts and sectors, with one replay or a few for each kind of delay.
#pragma once

#include <vector>

#include "model/time/delay.hpp"
#include "profile/delays/traced_launch.hpp"

namespace bankwise {

// Returns the delays of a launch whose time was predicted. The largest saving is first. Delays that save less than 5 % of
// the time are left out.
std::vector<delay> delays_of(traced_launch& l);

}  // namespace bankwise
