// The reasons not to trust a predicted time: what the model was not compared with on a GPU, and what it is known to
// predict badly (docs/explanation/time.md, "Known gaps"). A program that chooses a configuration should measure such a
// launch instead.
#pragma once

#include <string>
#include <vector>

#include "model/launch.hpp"
#include "timing/launch/launch_time.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// Returns the reasons, each as a clause. The list is empty if the time can be trusted as far as its interval tells.
// `r.time` must contain the time of the trace.
std::vector<std::string> doubts_about(const launch_report& r, const timing::launch_trace& t,
                                      const timing::launch_time& time);

}  // namespace bankwise
