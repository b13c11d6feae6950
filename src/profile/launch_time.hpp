// Adds the predicted time of a launch to its report: in total, for each instruction, and without bank conflicts.
// src/timing makes the prediction.
#pragma once

#include <optional>

#include "emulate/launch/launch.hpp"
#include "expr/names/machine_names.hpp"
#include "model/report.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// What is added in addition to the time.
struct added_time {
  bool trace = false;                              // the trace, if a layout may save time
  bool in_program = false;                         // the time at the GPU's boost clock
  bool savings = true;                             // the cycles that the launch would save without each finding
  std::optional<double> only_time = std::nullopt;  // see report_contents
};

// Predicts the time and adds it to the launch. The launch must contain the name of the GPU (timing::find_gpu) and the
// state of the caches.
void add_time(launch_report& r, timing::launch_trace& t, const emulate::launch& l, const machine& on,
              const added_time& what);

}  // namespace bankwise
