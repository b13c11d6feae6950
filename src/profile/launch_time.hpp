// The time of a launch, as the model of src/timing predicts it, for the launch's report.
#pragma once

#include <string_view>

#include "model/report.hpp"
#include "timing/launch_trace.hpp"

namespace bankwise {

// Of the GPU with this name (timing::find_gpu), with warm or cold caches.
void add_time(launch_report& r, timing::launch_trace& t, std::string_view gpu, bool warm_caches);

}  // namespace bankwise
