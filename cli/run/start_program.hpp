// Starts a program with its arguments. Its environment is that of bankwise and a few more variables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/system/run_control.hpp"

namespace bankwise::cli {

struct ending {
  int status = 0;  // exit status, or number of the signal
  bool by_signal = false;
  int asked = 0;  // signal that ended bankwise; 0 if there was none
};
// How the program ended: "exited with 3", "was ended by signal 11, Segmentation fault".
std::string describe(const ending& e);

// Starts the program and waits for it. A name without a slash is searched for in PATH.
//
// The program has its own process group. A signal to bankwise or from the terminal is therefore handled in this order:
// the library in the program (`control`) writes its report, then the group gets the signal. A second signal, a delay of
// some seconds, or the end of bankwise kills the program.
result<ending> start_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& variables,
                             control_file* control = nullptr);

}  // namespace bankwise::cli
