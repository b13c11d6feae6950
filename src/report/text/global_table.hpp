// A table of the source lines of a launch that access global memory: their sectors, and how many of these are
// necessary.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Returns an empty string if global memory was not counted. A line that touches only the sectors that its bytes fill is
// not listed, unless `options` requests all lines. Its sectors are part of the total.
std::string global_table(const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
