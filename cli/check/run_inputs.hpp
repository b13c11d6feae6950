// The inputs of a run's report. If one of them has changed, the report is made again.
//
//     HASH the command            hash of the command, of variables for compilers and the loader, and of bankwise
//     HASH transpose.cu           hash of a file, or of its size and time if it is large or belongs to the system
//     absent inc1/w.h             a file that the compiler would have read if it existed
//     present opt.h               a file of which only the existence was tested
//     changed tile.h              a file that was written during the run: the report is not up to date
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/check/project_runs.hpp"

namespace bankwise::cli {

using made_of = std::vector<std::string>;  // lines of a file NAME.inputs

// A time, as file systems store it.
struct file_time {
  long long seconds = 0, nanoseconds = 0;
};
file_time file_time_now();
// Whether a file exists and was changed or replaced after this time.
bool is_new_since(const std::filesystem::path& path, file_time begun);

// Returns the inputs that are known before the run. These are the command, the files in the command, and the files of
// the key `inputs`.
result<made_of> known_inputs(const project& p, const check::run_entry& r, const std::vector<std::string>& words);

// Files in which the processes of a run record the files that they read.
struct read_log {
  std::string compilers;  // make rules, which compilers write if the variable SUNPRO_DEPENDENCIES is set
  // A path on each line, written by libbankwise-audit.so. A line that begins with "-" names a path that does not exist.
  std::string loader;
};
// Returns environment variables for compilers and libbankwise-audit.so. Their values are the file names in `log`.
std::vector<std::pair<std::string, std::string>> variables_of(const read_log& log);

// Adds the files that processes of the run read: headers, and libraries of programs. `begun` is a time before the call
// of known_inputs(). `scratch` is a folder for temporary files.
void add_read_files(const project& p, const std::vector<std::string>& words, const read_log& log, file_time begun,
                    const std::string& scratch, made_of& to);

std::string as_text(const made_of& of);
// Whether the lines of `file` begin with `known` and all lines match the current files.
bool is_as_before(const project& p, const std::string& file, const made_of& known);

}  // namespace bankwise::cli
