// A finding in the text report: a source line that takes more wavefronts than the reachable number, its cost, and a
// drawing of its worst access.
#pragma once

#include <string>

#include "model/parts/source_lines.hpp"
#include "model/report.hpp"
#include "report/text/access_report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Explains the worst access of an instruction.
access_report explained(const site& s, const machine& on);

// Returns a finding in two or three lines: place and cost, the source around the access, and the fix. `number` is the
// number of the finding in its launch; the first is 1.
//
//       1. transpose.cu:18  32-way bank conflict on bank 0, costs 63,488 removable wavefronts (94.0% of the
//          shared-memory pipe)
//          ...tx] = tile[threadIdx.x][threadIdx.y + j];
//          fix: __shared__ float tile[32][32 + 1];  // 4,096 wavefronts instead of 67,584
std::string finding_line(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options);
// Returns a finding as one line, with the name of the kernel.
std::string short_finding_line(const report& r, const launch_report& l, const costly_line& found, const style& s);
// Returns the cause, such as "32-way bank conflict on bank 0", or a text about lanes that queue.
std::string cause_of(const report& r, const launch_report& l, const costly_line& found);
// Returns "fix: " and the code of the fix. If other instructions save more wavefronts than the fix, returns these
// instructions instead. If there is no fix, returns the reason. Returns an empty string if bankwise did not search for
// fixes.
std::string fix_line(const launch_report& l, const costly_line& found);
// Returns the code of the layout for the array of the finding, if the code fits into one line. Otherwise, returns an empty
// string.
std::string fix_code(const launch_report& l, const costly_line& found);
// Whether bankwise can edit the launch's source so that an array gets a better layout.
bool has_fix(const launch_report& l);
// Returns a complete finding, with the banks of the worst access.
std::string finding_text(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options);

}  // namespace bankwise
