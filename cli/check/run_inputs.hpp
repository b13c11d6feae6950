// What the report of a [[run]] was made of, so that it is made again where any of it has changed.
//
//     HASH the command            also the environment of compilers and of the loader, and bankwise itself
//     HASH transpose.cu           a file: of its bytes, or of its size and time if it is large or the system's
//     absent inc1/w.h             a file that would have been read if it had been there
//     present opt.h               a file that was asked for, whatever it holds
//     changed tile.h              a file that was written while the run went on: the report is current for nobody
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/check/project_runs.hpp"

namespace bankwise::cli {

using made_of = std::vector<std::string>;  // the lines

// The time of the clock that file systems use.
struct file_time {
  long long seconds = 0, nanoseconds = 0;
};
file_time file_time_now();

// What is known before it runs: the command, the files that it names and `inputs`.
result<made_of> known_inputs(const project& p, const check::run_entry& r, const std::vector<std::string>& words);

// Where the parts of a run write down what they read.
struct read_log {
  std::string compilers;  // rules for make, of the environment variable SUNPRO_DEPENDENCIES
  // libbankwise-audit.so writes one path on each line; after a -, the path of a file that does not exist
  std::string loader;
};
// What `run_and_hear` has to put into the environment for it.
std::vector<std::pair<std::string, std::string>> variables_of(const read_log& log);

// Adds what was read while it ran: headers, and libraries of programs. `begun`: when known_inputs were read. `scratch`:
// a folder for files.
void add_read_files(const project& p, const std::vector<std::string>& words, const read_log& log, file_time begun,
                    const std::string& scratch, made_of& to);

std::string as_text(const made_of& of);
// Whether the lines that were written in `file` begin with `known` and are those of the files as they are now.
bool is_as_before(const project& p, const std::string& file, const made_of& known);

}  // namespace bankwise::cli
