// Asynchronous copies above their ideal that are not a finding, because no layout saves clocks there: mainly cp.async
// past L1.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// A line for each source line, with the reason; `options.all`: with the banks of the worst access. Empty if there are
// none.
std::string copies_text(const report& r, const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
