// Runs a program like `bankwise run`. Returns its report, its output, the files that it wrote in the working folder,
// and digests of the data that it copied from the device.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/run/written_files.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

struct measured_run {
  report counts;
  std::string said, told;           // standard output and standard error of the program
  std::vector<std::string> ends;    // how it ended, unless with status 0
  file_contents files;              // files that it wrote
  std::vector<std::string> copies;  // digests of copies to the host, one line each (runtime/memory/host_copies.hpp)
};

// `flags`: for run. `accesses`: whether they are kept in the report. `files`: files of an earlier run, which are read
// again if this run did not write them.
result<measured_run> run_measured(const std::vector<std::string>& flags, const std::vector<std::string>& program,
                                  bool accesses, const file_contents& files = {});

}  // namespace bankwise::cli
