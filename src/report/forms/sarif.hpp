// Findings as SARIF 2.1.0, which GitHub's code scanning, editors and other tools read.
#pragma once

#include <string>
#include <vector>

#include "check/findings.hpp"

namespace bankwise {

// `input` is the file that was run or read. It is the location of findings without a source line. If `partial` contains
// a reason, the output contains this reason and marks the run as not successful. `estimated` is a sentence about
// sampled counts.
std::string to_sarif(const std::vector<check::finding>& findings, const std::string& input,
                     const early_end& partial = {}, const std::string& estimated = {});

// Converts a path to a URI reference. Forbidden characters become %XX. An absolute path becomes a file: URI.
std::string uri_of(const std::string& path);

}  // namespace bankwise
