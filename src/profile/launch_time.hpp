// Adds the predicted time of a launch to its report, from the model of src/timing: in total, for each instruction, and
// without bank conflicts.
#pragma once

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// The launch says which GPU is predicted, and the state of its caches (timing::find_gpu). If `keeps_trace` is set, and
// a layout may save time, the report also gets the trace.
void add_time(launch_report& r, timing::launch_trace& t, const emulate::launch& l, bool keeps_trace);

}  // namespace bankwise
