// A source line with wavefronts above what is reachable, explained: what it takes, and its worst access drawn.
#pragma once

#include <string>

#include "profile/profile.hpp"
#include "report/access_report.hpp"
#include "report/run_text_options.hpp"
#include "report/style.hpp"

namespace bankwise {

// The worst access of an instruction.
access_report explained(const site& s, const machine& on);

// What makes the worst access of a finding cost what it does: "a 32-way bank conflict on bank 0"; for lanes that queue, the remedy.
std::string cause_of(const report& r, const launch_report& l, const costly_line& found);

// In one line: where, how much, why, and whether there is a fix. `number`: of the finding in its launch, from 1.
//
//       1. transpose.cu:18  63,488 removable wavefronts, 94.0% of the shared pipe: a 32-way bank conflict on bank 0
std::string finding_line(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s);
// At length, with the banks of the worst access.
std::string finding_text(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options);

}  // namespace bankwise
