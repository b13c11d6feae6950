// Findings for continuous integration: JUnit's XML and GitHub's annotations.
#pragma once

#include <string>
#include <vector>

#include "check/findings.hpp"

namespace bankwise {

// Writes JUnit's XML, with a test suite for each kernel. A finding that fails the check is a failure. A known or
// suppressed finding is a skipped test.
std::string to_junit(const std::vector<check::finding>& findings, const std::vector<check::passed_case>& passed);
// Writes a line like "::warning file=a.cu,line=18,title=BW101::..." for each new finding. Omits known and suppressed
// findings, unless they fail the check.
std::string to_annotations(const std::vector<check::finding>& findings);

}  // namespace bankwise
