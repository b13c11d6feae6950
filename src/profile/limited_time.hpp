// Predicts the time of a launch that is compared with other launches. Nothing else is reported, and the prediction ends
// as soon as it is certain that the launch takes longer than a limit:
//
//     1. its instructions are counted     each multiprocessor issues at most four in a clock
//     2. a few blocks are traced          this takes most of the time
//     3. the trace is replayed            up to the clock of the limit
#pragma once

#include <functional>

#include "emulate/launch/launch.hpp"
#include "expr/names/machine_names.hpp"
#include "model/report.hpp"

namespace bankwise {

// Places the launch's arguments in a new memory. It may be called several times.
using argument_placer = std::function<result<done>(emulate::launch& l, emulate::device_memory& memory)>;

// Returns a report with launch_report::time, and without sites. `most_microseconds` may be infinite. If the launch takes
// longer, predicted_time::is_above_limit is set. emulate::launch::memory_is_private must be set.
result<launch_report> predict_limited(emulate::launch& l, const argument_placer& place, const machine& on,
                                      const emulate::launch_hooks& hooks, double most_microseconds);

}  // namespace bankwise
