// Predicts the time of a launch with another layout, by a replay of the launch's trace with the wavefronts of the new
// layout.
#pragma once

#include <vector>

#include "model/report.hpp"
#include "report/text/advice_report.hpp"

namespace bankwise::cli {

// Adds the predicted time to the first `most_answers` answers of each array. Does nothing if the launch has no trace.
void add_saved_time(const launch_report& l, std::vector<advice_report>& arrays, std::size_t most_answers);

}  // namespace bankwise::cli
