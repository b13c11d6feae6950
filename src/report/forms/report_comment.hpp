// A report for a pull request or an issue, in GitHub's Markdown.
//
//     **bankwise: Removing the bank conflicts saves 18% of this kernel's time: ...**
//
//     | line | kernel | finding | wavefronts | removable | saved time | fix |
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// Writes the headline, the findings about shared memory and about global memory, the notes about launches, and the
// launches. Texts from outside cannot act as markup. With `all`, the tables list every finding and launch.
std::string to_markdown(const report& r, bool all = false);

}  // namespace bankwise
