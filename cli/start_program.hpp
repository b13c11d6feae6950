// A program with its arguments, in our environment with a few variables more.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

struct ending {
  int status = 0;  // or the signal
  bool by_signal = false;
};
// "exited with 3", "was ended by signal 11, Segmentation fault"
std::string describe(const ending& e);

// Waits for it. Interrupts are the program's to answer. A name without a slash is looked for in PATH.
result<ending> start_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace bankwise::cli
