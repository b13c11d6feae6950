// Asynchronous copies that take more wavefronts than the ideal number. They are not findings, because no layout saves
// clocks. Most of these copies are cp.async instructions that bypass L1.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns one line of text for each source line with such copies. The text contains the reason. With `options.all`,
// adds the banks of the worst access. Returns an empty string if there are no such source lines.
std::string copies_text(const report& r, const launch_report& l, const style& s, const run_text_options& options);

}  // namespace bankwise
