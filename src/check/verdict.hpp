// Whether reports satisfy a project's limits: budgets, and no findings except known or suppressed ones.
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
  std::vector<std::string> runs;  // for each report, the name of its [[run]]; empty or missing if it has none
  config asked;
  fail_on fails = fail_on::fresh;
  std::optional<std::vector<known_finding>> baseline;
  // The text of a file by the name it was compiled under; nothing if it does not exist.
  std::function<std::optional<std::string>(const std::string& file)> source;
  // false if reports of some runs are missing, so that a budget may belong to one of their kernels
  bool has_all = true;
};

// A limit that every launch keeps and that can be lowered.
struct loose_limit {
  std::uint32_t config_line = 0;  // of its budget
  std::string key, allowed, is;   // "wavefronts", "4096", "2048": as bankwise.toml has them
  std::string about;              // "transpose", or "transpose tile.cu:18"
};

struct verdict {
  std::vector<finding> findings;    // findings, then budgets, then suppressions
  std::vector<passed_case> passed;  // kernels without a finding that fails, and budgets that are kept
  std::vector<known_finding> gone;  // in the baseline, and no longer found
  std::vector<std::string> notes;   // things that could not be checked
  std::vector<loose_limit> loose;
  std::vector<std::string> to_do;  // after a failure: what to run or to change, a sentence each
  fail_on fails = fail_on::fresh;  // the request
  bool failed = false;
  bool undecided = false;  // a budget is inside the interval of an estimate: a note names it
};

verdict judge(const verdict_question& q);

}  // namespace bankwise::check
