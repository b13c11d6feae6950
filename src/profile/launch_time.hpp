// Adds the predicted time of a launch to its report: in total, for each instruction, and without bank conflicts.
// src/timing makes the prediction.
#pragma once

#include <optional>

#include "emulate/launch/launch.hpp"
#include "expr/names/machine_names.hpp"
#include "model/report.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// Predicts the time and adds it to the launch. The launch must contain the name of the GPU (timing::find_gpu) and the
// state of the caches. If `keeps_trace` is set and a layout may save time, the trace is also added to the report. If
// `in_program` is set, the time at the GPU's boost clock is also predicted. `only_time`: see report_contents.
void add_time(launch_report& r, timing::launch_trace& t, const emulate::launch& l, const machine& on, bool keeps_trace,
              bool in_program, std::optional<double> only_time = std::nullopt);

}  // namespace bankwise
