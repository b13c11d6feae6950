// Meters that measure accesses on a GPU: clocks of a saturated pipe, and latencies of a single warp.
#pragma once

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// Compiles the kernels. Each block takes all shared memory of a multiprocessor, so that it runs alone on the
// multiprocessor.
result<done> prepare(gpu& on);

// A meter for the clocks of an access on a saturated pipe, which is the minimum of `repetitions`. `on` must outlive the
// meter.
meter cycles_meter(gpu& on);
// A meter for the clocks from an access to the next one, which needs the result. The operation must therefore have a
// result (has_latency).
meter latency_meter(gpu& on);

}  // namespace bankwise::probe
