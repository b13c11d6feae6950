// Applies the answers of `fix` to the sources: as a patch, or by changing, building, running and comparing them.
//
//     bankwise fix report.json --patch                                  what would change, for git apply
//     bankwise fix --apply --check 'make' -- ./app 1024                 changed, built, run before and after
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/line/arguments.hpp"

namespace bankwise::cli {

// Whether one of the flags for edits is given.
bool wants_edit(const arguments& args);
result<int> apply_fixes(const arguments& args);

}  // namespace bankwise::cli
