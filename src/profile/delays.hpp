// Finds what delays a launch apart from its wavefronts and sectors, with one replay for each kind of delay.
#pragma once

#include <vector>

#include "cubin/program.hpp"
#include "model/launch.hpp"
#include "model/time/delay.hpp"
#include "profile/replays.hpp"
#include "timing/gpu_parameters.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// Returns the delays of a launch whose time was predicted (r.time). The largest saving is first. Delays that save less
// than 3 % of the time are left out.
std::vector<delay> delays_of(const launch_report& r, const timing::launch_trace& t, const timing::gpu_parameters& gpu,
                             const cubin::program& p, const cubin::kernel& k, replays& again);

}  // namespace bankwise
