// Measures wavefronts with a GPU's own counter, which is read through CUPTI's range profiler.
#pragma once

#include <functional>

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// The counter of `on`, which must be prepared and must outlive the meter. Each access is one launch of some
// milliseconds. Errors: CUPTI is missing (searched at BANKWISE_LIBCUPTI, in the toolkit and in the loader's folders),
// or this user may not read counters.
result<meter> wavefront_meter(gpu& on);

// The clocks of a launch in which no multiprocessor is active, as Nsight Compute counts them: gpc__cycles_elapsed.max
// less sm__cycles_active.max. `launch` starts the kernel. The same errors.
result<double> launch_overhead(gpu& on, const std::function<result<done>()>& launch);

}  // namespace bankwise::probe
