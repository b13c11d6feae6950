// Applies the answers of `fix` to the sources. Prints a patch, or changes the sources and then builds, runs and
// compares the program.
//
//     bankwise fix report.json --patch                                  prints the changes for git apply
//     bankwise fix --apply --check 'make' -- ./app 1024                 changes the sources, builds, compares two runs
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"

namespace bankwise::cli {

// Whether the command line has a flag that edits sources.
bool wants_edit(const arguments& args);
result<int> apply_fixes(const arguments& args);

}  // namespace bankwise::cli
