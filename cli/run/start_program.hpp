// Starts a program with arguments. The program's environment is bankwise's environment with some more variables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/system/run_control.hpp"

namespace bankwise::cli {

struct ending {
  int status = 0;  // exit status, or number of the signal that ended the program
  bool by_signal = false;
  int asked = 0;  // number of the signal that ended bankwise, or 0
};
// Returns a text about the end of the program: "exited with 3", "was ended by signal 11, Segmentation fault".
std::string describe(const ending& e);

// Starts the program and waits for its end. A name without a slash is searched for in PATH.
//
// The program has its own process group. After a signal to bankwise or from the terminal, the library in the program
// (`control`) first writes its report, then the program's group gets the signal. A second signal, a delay of some
// seconds, or the end of bankwise kills the program.
result<ending> start_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& variables,
                             control_file* control = nullptr);

}  // namespace bankwise::cli
