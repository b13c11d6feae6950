// The changes between two reports, as a comment on a pull request.
#pragma once

#include <string>

#include "check/diff.hpp"

namespace bankwise {

// Writes tables of the lines that changed, and draws the line with the largest increase. The access of this line comes
// from report `b`.
std::string to_markdown(const check::report_diff& d, const report& b);

}  // namespace bankwise
