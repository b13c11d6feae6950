// The verdict of a check. Reports must satisfy the budgets of the project, and every finding must be known or
// suppressed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/baseline.hpp"
#include "check/config.hpp"
#include "check/findings.hpp"

namespace bankwise::check {

struct verdict_question {
  std::vector<report> reports;
  // For each report: name of the [[run]] that made it; empty or missing if no [[run]] made it.
  std::vector<std::string> runs;
  config asked;
  fail_on fails = fail_on::fresh;
  std::optional<std::vector<known_finding>> baseline;
  // Returns the text of a file. `file` is the path of the file when it was compiled. Returns nothing if the file does
  // not exist.
  std::function<std::optional<std::string>(const std::string& file)> source;
  // Whether there are reports of all runs. Without all reports, a budget may apply to a kernel in a missing report.
  bool has_all = true;
};

// A limit that can be lowered, because every launch is below it.
struct loose_limit {
  std::uint32_t config_line = 0;  // line of the budget
  // Three texts as written in bankwise.toml, for example "wavefronts", "4096" and "2048".
  std::string key, allowed, is;
  std::string about;  // examples: "transpose", "transpose tile.cu:18"
};

struct verdict {
  std::vector<finding> findings;    // the findings in this order: findings of reports, of budgets, of suppressions
  std::vector<passed_case> passed;  // kernels without a failing finding, and budgets that no launch exceeds
  std::vector<known_finding> gone;  // findings in the baseline that no report contains
  std::vector<std::string> notes;   // notes about what could not be checked
  std::vector<loose_limit> loose;
  std::vector<std::string> to_do;  // after a failure: sentences that tell the user what to run or to change
  fail_on fails = fail_on::fresh;  // the value of --fail-on
  bool failed = false;
  // whether the interval of an estimate contains the limit of a budget; a note names the budget
  bool undecided = false;
  bool lacks_counts = false;  // whether a report lacks the counts that a budget limits
};

verdict judge(const verdict_question& q);

}  // namespace bankwise::check
