// Measures wavefronts with a counter of the GPU, which CUPTI's range profiler reads.
#pragma once

#include <functional>

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// A meter that uses the counter of `on`. `on` must be prepared and must outlive the meter. Each access is one launch of
// some milliseconds. Errors: CUPTI is missing (searched at BANKWISE_LIBCUPTI, in the toolkit and in the loader's
// folders), or the user may not read counters.
result<meter> wavefront_meter(gpu& on);

// The clocks of a launch in which no multiprocessor is active, as Nsight Compute counts them: gpc__cycles_elapsed.max
// minus sm__cycles_active.max. `launch` starts the kernel. The errors are those of wavefront_meter.
result<double> launch_overhead(gpu& on, const std::function<result<done>()>& launch);

}  // namespace bankwise::probe
