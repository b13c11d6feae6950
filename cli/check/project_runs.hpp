// Makes the reports of the [[run]] tables of bankwise.toml with `bankwise run`. A report is made again only if one of
// its inputs has changed.
//
//     .bankwise/NAME.json      the report
//     .bankwise/NAME.inputs    the inputs of the report: a hash and a name on each line
//     .bankwise/NAME.log       the output of nvcc and of the program
//     .bankwise/NAME.lock      locked while the other files are written
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/system/file_lock.hpp"
#include "check/config.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

inline constexpr const char* usual_config = "bankwise.toml";
// Returns the folder of the file, or "." if the file is in the working folder.
std::string folder_of_config(const std::string& file);

struct project {
  std::string folder;  // folder of bankwise.toml, in which commands run
  const check::config* asked = nullptr;
  std::vector<std::string> only;                     // names of the runs to make; empty means all runs
  bool again = false;                                // whether to make reports even if no input has changed
  unsigned jobs = 0;                                 // number of reports to make at the same time; 0: one for each core
  const std::atomic<std::uint32_t>* stop = nullptr;  // nonzero ends the runs; null: use stop_signal()
};

// Splits and expands the command of a run as a shell does. Command substitutions are not executed.
result<std::vector<std::string>> words_of(const project& p, const check::run_entry& r);

// Locks bankwise.toml while it is read and written again. The lock file is in the folder of reports that `c` names.
result<file_lock> lock_config(const std::string& file, const check::config& c);

struct made_report {
  std::string run, file;
  bool is_new = false;  // whether this call made the report; otherwise, this call read the report
  report what;          // report as it was made or read; the file may have changed since then
};

// Makes or reads the reports in the order of bankwise.toml, and shows progress. If a run makes no report, the error
// contains the end of the run's output. The old report of this run and the reports of other runs stay.
result<std::vector<made_report>> make_reports(const project& p);

// Returns the input files of a run's report. The key is a path without symbolic links, and the value is the result of
// check::fingerprint_of for the file's text. Returns nothing if the inputs are not known.
std::map<std::string, std::string> inputs_of(const project& p, const std::string& run);

// Makes the folder for generated files. The folder contains a .gitignore, so that users do not commit it.
result<done> make_cache_folder(const std::string& folder);

}  // namespace bankwise::cli
