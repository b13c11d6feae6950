// What is worth typing next, below a report with findings, as it can be typed:
//
//     next:
//       bankwise run --fix ./app                             # the padding or swizzle that removes them
//       bankwise run --all ./app                             # every instruction, and the banks of each finding drawn
//       bankwise run --format html -o report.html ./app      # the same beside source, SASS and PTX, to send on
#pragma once

#include <string>
#include <vector>

#include "report/style.hpp"

namespace bankwise::cli {

// `words`: the command line behind the program's own name. Of flags that it has already nothing is said. Where the width does not
// hold both, a reason stands above its command; a command is one line, whatever the width, so that it can be copied.
std::string next_commands(const std::vector<std::string>& words, const style& s);

}  // namespace bankwise::cli
