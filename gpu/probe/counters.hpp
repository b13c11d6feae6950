// A GPU as a meter of wavefronts: its own counter, read through CUPTI's range profiler.
#pragma once

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// The counter of `on`, which must be prepared and outlive the meter. A launch an access, some milliseconds each.
// Errors: there is no CUPTI (looked for at BANKWISE_LIBCUPTI, in the toolkit and where the loader looks), or this user
// may not read counters.
result<meter> wavefront_meter(gpu& on);

}  // namespace bankwise::probe
