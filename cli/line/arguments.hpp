// The parsed command line: a verb, its flags and its remaining words.
#pragma once

#include <string>
#include <vector>

#include "base/flag_values.hpp"

namespace bankwise::cli {

inline constexpr unsigned most_jobs = 1024;  // limit of --jobs

struct arguments : flag_values {
  const struct verb* asked = nullptr;
  std::vector<std::string> positional;
  std::vector<std::string> words;       // all words of the command line, starting with the verb
  std::vector<std::string> of_program;  // arguments of the program, for run and record
  bool names_program = false;           // whether `positional` has a program or a kernel's file, for fix
};

}  // namespace bankwise::cli
