// Makes the reports of two commits: checks each commit out into a folder of its own, builds it, and runs its program.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

struct commit_question {
  std::string before, after;         // commits; if `after` is empty, it is the working tree as it is
  std::string build;                 // a shell command; empty if nothing is built
  std::vector<std::string> program;  // the arguments of `bankwise run`
};

struct commit_report {
  std::string name;  // "v1.2 (abc1234) Faster loads", "the working tree"
  report what;
};

// Returns the reports of both. A program that failed has a report if it launched a kernel. Errors name the commit.
result<std::vector<commit_report>> reports_of_commits(const commit_question& q);

}  // namespace bankwise::cli
