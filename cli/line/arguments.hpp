// The parsed command line: a verb, its flags and its remaining words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/flag_values.hpp"

namespace bankwise::cli {

struct arguments : flag_values {
  const struct verb* asked = nullptr;
  std::vector<std::string> positional;
  std::vector<std::string> words;       // all words, starting with the verb
  std::vector<std::string> of_program;  // for run and record: the arguments of the program
  bool names_program = false;           // for fix: whether `positional` has a program or a kernel's file
};

// What main() has to do.
struct command {
  arguments args;
  std::optional<std::string> text;  // help or version: main() prints the text and exits
  std::string note;                 // a hint about a flag or verb that the user may have meant
};

result<command> parse_command_line(int argc, const char* const* argv);

}  // namespace bankwise::cli
