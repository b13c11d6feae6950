// Runs a program as `bankwise run` does. Returns its report, its output, the files that it wrote in the working folder,
// and digests of the data that it copied to the host.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/fix/written_files.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

struct measured_run {
  report counts;
  std::string said, told;           // texts on standard output and standard error
  std::vector<std::string> ends;    // sentences about how the program ended, if its status was not 0
  file_contents files;              // files that the program wrote
  std::vector<std::string> copies;  // digests of copies to the host, one line each (runtime/device/host_copies.hpp)
};

// `flags` are flags of `bankwise run`. If `accesses` is set, the report keeps the accesses. `files` are the files of an
// earlier run. If this run does not write one of these files, the result contains the file with its current contents.
result<measured_run> run_measured(const std::vector<std::string>& flags, const std::vector<std::string>& program,
                                  bool accesses, const file_contents& files = {});

}  // namespace bankwise::cli
