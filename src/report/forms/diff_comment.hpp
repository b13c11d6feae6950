// What changed between two reports, as a comment on a pull request.
#pragma once

#include <string>

#include "check/diff.hpp"

namespace bankwise {

// Tables of the lines that changed, and the banks of the line that became worst, whose access is in `b`.
std::string to_markdown(const check::report_diff& d, const report& b);

}  // namespace bankwise
