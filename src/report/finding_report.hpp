// A source line with wavefronts above what is reachable, explained: what it takes, and its worst access drawn.
#pragma once

#include <string>

#include "profile/profile.hpp"
#include "report/run_text_options.hpp"
#include "report/style.hpp"

namespace bankwise {

// `number`: of the finding in its launch, from 1.
std::string finding_text(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options);

}  // namespace bankwise
