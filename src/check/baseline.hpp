// The known findings of a project, by fingerprint. The file is next to the project's sources. A check fails only for
// new findings, and for findings that became worse.
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
  // People who read the file see these texts. The check does not use them.
  std::string kernel, place, text;
};

// Reads a baseline with the schema bankwise.baseline/1.
result<std::vector<known_finding>> read_baseline(std::string_view text, const std::string& name);
// Returns every finding that counts in a check. Notes and suppressed findings do not count.
std::vector<known_finding> baseline_of(const std::vector<finding>& findings);
std::string to_json(const std::vector<known_finding>& baseline);

}  // namespace bankwise::check
