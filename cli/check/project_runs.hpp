// The reports of the [[run]]s of bankwise.toml. `bankwise run` makes each report. It makes a report again only if one
// of the inputs has changed.
//
//     .bankwise/NAME.json      the report
//     .bankwise/NAME.inputs    its inputs: a hash and a name on each line
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
// Returns "." for a file in the working folder.
std::string folder_of_config(const std::string& file);

struct project {
  std::string folder;  // folder of bankwise.toml, in which commands run
  const check::config* asked = nullptr;
  std::vector<std::string> only;                     // names of runs to make; empty means all
  bool again = false;                                // make reports even if nothing has changed
  unsigned jobs = 0;                                 // reports made at the same time; 0 means one for each core
  const std::atomic<std::uint32_t>* stop = nullptr;  // contains the signal that ends the runs; null means any signal
};

// The words of a run's command, split and expanded as in a shell. A command substitution in it is not executed.
result<std::vector<std::string>> words_of(const project& p, const check::run_entry& r);

// Locks bankwise.toml while it is read and written again. `c` names the folder of reports.
result<file_lock> lock_config(const std::string& file, const check::config& c);

struct made_report {
  std::string run, file;
  bool is_new = false;  // whether this call made the report
  report what;          // the report; the file may have changed since
};

// Makes or reads the reports, in the order of bankwise.toml, and shows progress. If a run makes no report, the error
// contains the end of its output. Reports of other runs and the old report of this run stay.
result<std::vector<made_report>> make_reports(const project& p);

// The input files of a run's report. A key is a path without links, and the value is check::fingerprint_of of the
// file's text. Empty if the inputs are unknown.
std::map<std::string, std::string> inputs_of(const project& p, const std::string& run);

// Makes the folder for generated files, which users do not commit.
result<done> make_cache_folder(const std::string& folder);

}  // namespace bankwise::cli
