// Meters of accesses on a GPU: clocks on a saturated pipe, and latencies in a single warp.
#pragma once

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// Compiles the kernels. Each block takes all shared memory of a multiprocessor, so that no other block runs on it.
result<done> prepare(gpu& on);

// Returns a meter of the clocks of an access on a saturated pipe. The meter returns the minimum of `repetitions`
// measurements. `on` must outlive the meter.
meter cycles_meter(gpu& on);
// Returns a meter of the clocks from an access to the next access. The next access needs the result of the first. So
// the operation must have a result (has_latency).
meter latency_meter(gpu& on);

}  // namespace bankwise::probe
