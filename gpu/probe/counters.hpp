// Measures wavefronts with a GPU's own counter, which is read through CUPTI's range profiler.
#pragma once

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// The counter of `on`, which must be prepared and must outlive the meter. Each access is one launch of some
// milliseconds. Errors: CUPTI is missing (searched at BANKWISE_LIBCUPTI, in the toolkit and in the loader's folders),
// or this user may not read counters.
result<meter> wavefront_meter(gpu& on);

}  // namespace bankwise::probe
