// The global-memory accesses of each source line of a launch, as a table: sectors, and how many are necessary.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Empty if global memory was not counted. Lines that need no more sectors than their bytes fill are only part of the
// total, unless all lines are requested.
std::string global_table(const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
