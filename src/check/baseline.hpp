// The findings that a project knows of, by fingerprint, in a file beside its sources: only what is new, or has become
// worse, fails a check.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "check/issues.hpp"

namespace bankwise::check {

struct known_issue {
  std::string fingerprint, rule;
  std::uint64_t amount = 0;
  // For people who read the file:
  std::string kernel, place, text;
};

// Schema bankwise.baseline/1.
result<std::vector<known_issue>> read_baseline(std::string_view text, const std::string& name);
// Every issue that a check would count: no notes, nothing suppressed.
std::vector<known_issue> baseline_of(const std::vector<issue>& issues);
std::string to_json(const std::vector<known_issue>& baseline);

}  // namespace bankwise::check
