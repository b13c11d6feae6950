// The changes between two reports, as a comment on a pull request.
#pragma once

#include <string>

#include "check/diff.hpp"

namespace bankwise {

// Writes tables of the lines that changed, and a drawing of the line with the largest increase. Report `b` has the
// access of this line.
std::string to_markdown(const check::report_diff& d, const report& b);

}  // namespace bankwise
