// A GPU as a meter of wavefronts: its own counter, read through CUPTI's range profiler.
#pragma once

#include "driver.hpp"
#include "meter.hpp"

namespace bankwise::probe {

// The counter of `on`, which must be prepared and outlive the meter. One launch for each access, some milliseconds
// each. Errors: CUPTI is missing (searched at BANKWISE_LIBCUPTI, in the toolkit and in the loader's folders), or this
// user may not read counters.
result<meter> wavefront_meter(gpu& on);

}  // namespace bankwise::probe
