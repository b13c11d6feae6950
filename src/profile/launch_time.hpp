// The time of a launch, as the model of src/timing predicts it, for the launch's report: in total, for each
// instruction, and without its bank conflicts.
#pragma once

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// For the GPU and the state of the caches that the launch names (timing::find_gpu). `keeps_trace`: the report also gets
// the trace, if a layout may save time.
void add_time(launch_report& r, timing::launch_trace& t, const emulate::launch& l, bool keeps_trace);

}  // namespace bankwise
