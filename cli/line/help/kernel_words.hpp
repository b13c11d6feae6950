// The names of the kernels in the files of a command line, which shells complete after -k.
#pragma once

#include <string>
#include <vector>

namespace bankwise::cli {

// Returns the kernels of every word that names a .cu, .ptx, .cubin or .fatbin file, a JSON report, or a program that
// contains machine code. Each name is a line, and occurs once. Other words, and names that are not identifiers, are
// skipped.
std::string kernel_words(const std::vector<std::string>& words);

}  // namespace bankwise::cli
