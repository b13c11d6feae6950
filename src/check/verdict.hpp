// The verdict of a check: whether reports satisfy a project's budgets, and contain no findings except known or
// suppressed ones.
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
  std::vector<std::string> runs;  // for each report: name of its [[run]]; empty or missing without a [[run]]
  config asked;
  fail_on fails = fail_on::fresh;
  std::optional<std::vector<known_finding>> baseline;
  // Returns the text of a file, by the name under which it was compiled. Nothing if the file does not exist.
  std::function<std::optional<std::string>(const std::string& file)> source;
  // False if reports of some runs are missing. A budget may then apply to a kernel in these reports.
  bool has_all = true;
};

// A limit that no launch exceeds and that can be lowered.
struct loose_limit {
  std::uint32_t config_line = 0;  // line of the budget
  std::string key, allowed, is;   // "wavefronts", "4096", "2048", in the spelling of bankwise.toml
  std::string about;              // examples: "transpose", "transpose tile.cu:18"
};

struct verdict {
  std::vector<finding> findings;    // findings of reports, then of budgets, then of suppressions
  std::vector<passed_case> passed;  // kernels without a finding that fails, and budgets that no launch exceeds
  std::vector<known_finding> gone;  // findings in the baseline that no report contains
  std::vector<std::string> notes;   // what could not be checked
  std::vector<loose_limit> loose;
  std::vector<std::string> to_do;  // after a failure: what to run or to change, one sentence each
  fail_on fails = fail_on::fresh;  // the value of --fail-on
  bool failed = false;
  bool undecided = false;  // whether a budget is within the interval of an estimate; a note names the budget
};

verdict judge(const verdict_question& q);

}  // namespace bankwise::check
