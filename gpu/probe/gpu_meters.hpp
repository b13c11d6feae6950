// A GPU as a meter: clocks of a saturated pipe, latencies of a lone warp.
#pragma once

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// Compiles the kernels and takes a whole multiprocessor's shared memory for each block, so that blocks run alone.
result<done> prepare(gpu& on);

// Clocks that one access takes of a saturated pipe: the least of `repetitions`. `on` must outlive the meter.
meter cycles_meter(gpu& on);
// Clocks from an access to the next one that needs its result, so it must have a result (has_latency).
meter latency_meter(gpu& on);

}  // namespace bankwise::probe
