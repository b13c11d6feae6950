// The known findings of a project, by fingerprint, in a file next to its sources. Only findings that are new or worse
// fail a check.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "check/findings.hpp"

namespace bankwise::check {

struct known_finding {
  std::string fingerprint, kind;
  std::uint64_t amount = 0;
  // For human readers of the file:
  std::string kernel, place, text;
};

// Schema bankwise.baseline/1.
result<std::vector<known_finding>> read_baseline(std::string_view text, const std::string& name);
// Every finding that a check would count, without notes and suppressed findings.
std::vector<known_finding> baseline_of(const std::vector<finding>& findings);
std::string to_json(const std::vector<known_finding>& baseline);

}  // namespace bankwise::check
