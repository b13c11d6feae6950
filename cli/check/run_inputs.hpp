// The inputs of a [[run]]'s report. If an input has changed, the report is made again.
//
//     HASH the command            also of the environment of compilers and of the loader, and of bankwise itself
//     HASH transpose.cu           of a file's bytes, or of its size and time if it is large or the system's
//     absent inc1/w.h             a file that would have been read if it existed
//     present opt.h               a file whose existence was tested; its contents do not matter
//     changed tile.h              a file that was written during the run: the report is not current
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/check/project_runs.hpp"

namespace bankwise::cli {

using made_of = std::vector<std::string>;  // lines of a file with inputs

// A time of the clock that file systems use.
struct file_time {
  long long seconds = 0, nanoseconds = 0;
};
file_time file_time_now();

// The inputs that are known before the run: the command, the files that the command names, and `inputs`.
result<made_of> known_inputs(const project& p, const check::run_entry& r, const std::vector<std::string>& words);

// Names of files in which the processes of a run record what they read.
struct read_log {
  std::string compilers;  // rules for make, which compilers write because of the variable SUNPRO_DEPENDENCIES
  // Paths that libbankwise-audit.so writes, one on each line. A path after a - does not exist.
  std::string loader;
};
// The environment variables that tell compilers and libbankwise-audit.so the names in `log`.
std::vector<std::pair<std::string, std::string>> variables_of(const read_log& log);

// Adds the files that were read during the run: headers, and libraries of programs. `begun` is the time before
// known_inputs() was called. `scratch` is a folder for temporary files.
void add_read_files(const project& p, const std::vector<std::string>& words, const read_log& log, file_time begun,
                    const std::string& scratch, made_of& to);

std::string as_text(const made_of& of);
// Whether the lines in `file` begin with `known`, and all lines match the current files.
bool is_as_before(const project& p, const std::string& file, const made_of& known);

}  // namespace bankwise::cli
