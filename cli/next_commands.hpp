// What is worth typing next, below a report with findings, as it can be typed:
//
//     next:
//       bankwise run --fix ./app                             # the padding or swizzle that removes them
//       bankwise run --all ./app                             # every instruction, and the banks of each finding drawn
//       bankwise run --format html -o report.html ./app      # the same beside source, SASS and PTX, to send on
#pragma once

#include <string>
#include <vector>

namespace bankwise::cli {

// `words`: the command line behind the program's own name. Of flags that it has already nothing is said.
std::string next_commands(const std::vector<std::string>& words);

}  // namespace bankwise::cli
