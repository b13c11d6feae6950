// Applies the answers of `fix` to the sources: prints a patch, or changes the sources, builds, runs and compares the
// program.
//
//     bankwise fix report.json --patch                                  prints the changes for git apply
//     bankwise fix --apply --check 'make' -- ./app 1024                 changes, builds, and runs before and after
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"

namespace bankwise::cli {

// Whether the command line contains a flag for edits.
bool wants_edit(const arguments& args);
result<int> apply_fixes(const arguments& args);

}  // namespace bankwise::cli
