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
// A fix of a finding, in parts. Every format joins the parts in its own way.
struct fix_words {
  bool is_fix = false;  // false if there is no fix; `text` is then the reason
  std::string code;     // the code of the layout, if the code fits into one line
  std::string text;     // the fix in words, or what follows the code
  std::string saving;   // "4,096 wavefronts instead of 67,584"; may be empty
  std::string hint;     // " (--fix prints the code)", with the blank; may be empty

  bool is_empty() const { return code.empty() && text.empty(); }
  std::string in_short() const;  // "fix: " and the code or the text
  std::string line() const;      // in_short(), the saving as a comment, and the hint
};
// Returns the fix for the array of the finding. If other instructions save more wavefronts than the fix, returns these
// instructions instead. Returns empty words if bankwise did not search for fixes.
fix_words fix_of(const launch_report& l, const costly_line& found);
// Whether bankwise can edit the launch's source so that an array gets a better layout.
bool has_fix(const launch_report& l);
// Returns a complete finding, with the banks of the worst access.
std::string finding_text(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options);

}  // namespace bankwise
