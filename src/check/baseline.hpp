// The known findings of a project, by fingerprint, in a file next to its sources. Only new findings, and findings that
// became worse, make a check fail.
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
  // The check does not use these texts. They are for people who read the file.
  std::string kernel, place, text;
};

// Reads a baseline with the schema bankwise.baseline/1.
result<std::vector<known_finding>> read_baseline(std::string_view text, const std::string& name);
// Returns every finding that a check counts. Notes and suppressed findings do not count.
std::vector<known_finding> baseline_of(const std::vector<finding>& findings);
std::string to_json(const std::vector<known_finding>& baseline);

}  // namespace bankwise::check
