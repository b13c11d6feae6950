// What each source line of a launch asks of global memory, as a table: sectors, and how many would do.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Empty where global memory was not counted. Lines that need no more sectors than their bytes fill are in the total
// alone, unless all are asked for.
std::string global_table(const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
