// Asynchronous copies that take more wavefronts than their ideal but are not findings, because no layout saves clocks.
// Most are cp.async past L1.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// One line for each source line, with the reason. If `options.all` is set, also shows the banks of the worst access.
// Empty if there are no such copies.
std::string copies_text(const report& r, const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
