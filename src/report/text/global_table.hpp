// The accesses to global memory of each source line of a launch, as a table: sectors, and how many of them are
// necessary.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Empty if global memory was not counted. A line that needs only the sectors that its bytes fill is not listed, unless
// all lines are requested. Its sectors are part of the total.
std::string global_table(const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
