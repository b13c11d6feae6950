// Findings as SARIF 2.1.0, which GitHub's code scanning, editors and other tools read.
#pragma once

#include <string>
#include <vector>

#include "check/findings.hpp"

namespace bankwise {

// `input` is the location of a finding that has no source line: the file that was run or read. A run that is `partial`
// was not successful, and gives the reason. `estimated`: the sentence about a sample.
std::string to_sarif(const std::vector<check::finding>& findings, const std::string& input,
                     const early_end& partial = {}, const std::string& estimated = {});

// A path as a URI reference: forbidden characters become %XX, and an absolute path becomes a file: URI.
std::string uri_of(const std::string& path);

}  // namespace bankwise
