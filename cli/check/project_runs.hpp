// The reports of the [[run]]s of bankwise.toml: `bankwise run` makes each, and makes it again only if one of its inputs
// has changed.
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
// "." for a file in the working folder.
std::string folder_of_config(const std::string& file);

struct project {
  std::string folder;  // of bankwise.toml: commands run there
  const check::config* asked = nullptr;
  std::vector<std::string> only;                     // names of runs; empty means all
  bool again = false;                                // make reports even if nothing has changed
  unsigned jobs = 0;                                 // how many run at the same time; 0: one for each core
  const std::atomic<std::uint32_t>* stop = nullptr;  // contains the signal that ends the runs; null: any to bankwise
};

// The words of a run's command, as a shell would split and expand it. Commands inside it are not executed.
result<std::vector<std::string>> words_of(const project& p, const check::run_entry& r);

// Locks bankwise.toml while it is read and written again. `c`: its settings for the folder of reports.
result<file_lock> lock_config(const std::string& file, const check::config& c);

struct made_report {
  std::string run, file;
  bool is_new = false;  // it was made just now
  report what;          // the file's contents may have changed since
};

// In the order of bankwise.toml. Shows progress. Errors: a run without a report, with the end of its output. The
// reports of other runs, and its own old report, are kept.
result<std::vector<made_report>> make_reports(const project& p);

// The input files of a run's report, by their paths without links, with check::fingerprint_of of their texts. Empty if
// unknown.
std::map<std::string, std::string> inputs_of(const project& p, const std::string& run);

// The folder of generated files, which is not committed.
result<done> make_cache_folder(const std::string& folder);

}  // namespace bankwise::cli
