// Starts a program with arguments. The program gets bankwise's environment and some more variables.
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
// Describes how the program ended: "exited with 3", "was ended by signal 11, Segmentation fault".
std::string describe(const ending& e);

// Starts the program and waits for its end. If the name has no slash, the program is searched for in PATH.
//
// The program has its own process group. When bankwise gets a signal, also from the terminal, it first asks the library
// in the program for its report, through `control`. Then it sends the signal to the program's process group. A second
// signal, a delay of some seconds, or the end of bankwise kills the program.
result<ending> start_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& variables,
                             control_file* control = nullptr);

}  // namespace bankwise::cli
