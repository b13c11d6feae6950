// Measures wavefronts with a hardware counter of the GPU, through CUPTI's range profiler.
#pragma once

#include <functional>

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// Returns a meter that uses the hardware counter of the GPU `on`. `on` must be prepared and must outlive the meter.
// Each access takes one launch of some milliseconds. Fails if CUPTI is missing or the user may not read counters. CUPTI
// is loaded from BANKWISE_LIBCUPTI, from the toolkit or from the loader's folders.
result<meter> wavefront_meter(gpu& on);

// Returns the clocks of a launch in which no multiprocessor is active, as Nsight Compute counts them:
// gpc__cycles_elapsed.max minus sm__cycles_active.max. `launch` starts the kernel. Fails like wavefront_meter.
result<double> launch_overhead(gpu& on, const std::function<result<done>()>& launch);

}  // namespace bankwise::probe
