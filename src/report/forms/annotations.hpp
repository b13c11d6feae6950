// Findings for continuous integration: JUnit's XML, and GitHub's annotations.
#pragma once

#include <string>
#include <vector>

#include "check/findings.hpp"

namespace bankwise {

// A suite for each kernel; a finding that fails is a failure, a known or suppressed one is skipped.
std::string to_junit(const std::vector<check::finding>& findings, const std::vector<check::passed_case>& passed);
// "::warning file=a.cu,line=18,title=BW101::..." for each finding that fails, or is neither known nor suppressed.
std::string to_annotations(const std::vector<check::finding>& findings);

}  // namespace bankwise
