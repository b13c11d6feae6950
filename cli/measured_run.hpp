// A program run as `bankwise run` runs it, with its report and with what it said.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/profile.hpp"

namespace bankwise::cli {

struct measured_run {
  report counts;
  std::string said;               // standard output of the program
  std::vector<std::string> ends;  // how it ended, where that was not with 0
};

// `flags`: of run. What the program writes to standard error is passed on. `accesses`: kept in the report.
result<measured_run> run_measured(const std::vector<std::string>& flags, const std::vector<std::string>& program,
                                  bool accesses);

// The first line that differs, in words; empty: they are the same. Numbers of a line that another run of the same program,
// `again`, prints differently are not compared, nor are those of a line that speaks of time.
std::string difference_of(const std::string& before, const std::string& after, const std::string& again);

}  // namespace bankwise::cli
