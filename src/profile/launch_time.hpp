// The time of a launch, as the model of src/timing predicts it, for the launch's report.
#pragma once

#include "model/report.hpp"
#include "timing/launch_trace.hpp"

namespace bankwise {

void add_time(launch_report& r, timing::launch_trace& t);

}  // namespace bankwise
