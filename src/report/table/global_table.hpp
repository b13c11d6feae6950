// A table of a launch's source lines that access global memory. It shows the sectors of each line, and how many of them
// are necessary.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns a table of the source lines that access global memory. Returns an empty string if global memory was not
// counted. Lines without excess sectors are listed only if `options` requests all lines. The total includes all lines.
std::string global_table(const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
