// A table of the source lines of a launch that access global memory: their sectors, and how many of these sectors are
// necessary.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Returns a table of the source lines that access global memory. Returns an empty string if global memory was not
// counted. If a line touches no excess sectors, it is listed only if `options` requests all lines. The total includes
// the sectors of all lines.
std::string global_table(const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
