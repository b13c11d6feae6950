// Reads the command line: a verb with its flags and words, or a request for help, the version or the manual.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"

namespace bankwise::cli {

// What main() has to do.
struct command {
  arguments args;
  std::optional<std::string> text;  // text of help or version, which main() prints before it exits
  std::string note;                 // hint about a similar flag or verb that the user may have meant
};

result<command> parse_command_line(int argc, const char* const* argv);

}  // namespace bankwise::cli
