// Measures accesses on a GPU: clocks of a saturated pipe, latencies of a single warp.
#pragma once

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// Compiles the kernels. Each block takes all shared memory of a multiprocessor, so that blocks run alone.
result<done> prepare(gpu& on);

// Clocks of one access on a saturated pipe: the minimum of `repetitions`. `on` must outlive the meter.
meter cycles_meter(gpu& on);
// Clocks from an access to the next one, which needs its result: so the operation must have a result (has_latency).
meter latency_meter(gpu& on);

}  // namespace bankwise::probe
