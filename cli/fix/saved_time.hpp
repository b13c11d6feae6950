// How long a launch takes with a layout that a search found: its trace once more, with the wavefronts of that layout.
#pragma once

#include <vector>

#include "model/report.hpp"
#include "report/text/advice_report.hpp"

namespace bankwise::cli {

// For the first answers of each array. Nothing happens if the launch has no trace.
void add_saved_time(const launch_report& l, std::vector<advice_report>& arrays, std::size_t most_answers);

}  // namespace bankwise::cli
