// The parsed command line: a verb, its flags and its other words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/flag_values.hpp"

namespace bankwise::cli {

struct arguments : flag_values {
  const struct verb* asked = nullptr;
  std::vector<std::string> positional;
  std::vector<std::string> words;       // all words, from the verb on
  std::vector<std::string> of_program;  // for run and record: arguments of the program
  bool names_program = false;           // for fix: `positional` contains a program or a kernel's file
};

// The action of main().
struct command {
  arguments args;
  std::optional<std::string> text;  // help or version, which main() prints before it ends
  std::string note;                 // a hint that names a likely alternative
};

result<command> parse_command_line(int argc, const char* const* argv);

}  // namespace bankwise::cli
