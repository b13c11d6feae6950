// The words of a finding. The text of run, the page and Markdown put them together in their own ways:
//
//     place  transpose.cu:18
//     what   32-way bank conflict on bank 7
//     cost   costs 4,063,232 removable wavefronts (93.9% of the shared-memory pipe)
//     time   removing it saves 56%: about 14.6 us of 25.9 us
//     fix    fix: __shared__ float tile[32][32 + 1];  // 262,144 wavefronts instead of 4,325,376
#pragma once

#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "model/report.hpp"
#include "report/picture/access_report.hpp"

namespace bankwise {

// Explains the worst access of an instruction.
access_report explained(const site& s, const machine& on);

// Returns "transpose.cu:18", or "pc 0x220".
std::string place_words(const launch_report& l, const findings::finding& f);
// Returns the other lines of the same cause after a line, such as " and 3 more lines". Returns an empty string if there
// are none.
std::string more_lines_words(const launch_report& l, const findings::finding& f);
// Returns the other lines and problems that the same change removes: "also lines 11, 13, 15", "also line 9: several loads
// of a thread read neighbouring values, one after another".
std::vector<std::string> also_words(const report& r, const launch_report& l, const findings::finding& f);
// Returns what is wrong, such as "32-way bank conflict on bank 7", "lanes queue for one word", "neighbouring lanes are 8
// bytes apart and access 4 bytes each".
std::string what_words(const report& r, const launch_report& l, const findings::finding& f);
// Returns a text such as "costs 63,488 removable wavefronts (93.9% of the shared-memory pipe)" or "touches 128 sectors
// of global memory (66.7% of those in this launch)", "costs 31 of 32 rounds".
std::string cost_words(const report& r, const launch_report& l, const findings::finding& f);
// Returns a text such as "removing it saves 43%: about 1.20 us of 2.80 us". Returns an empty string if the saving is not
// predicted.
std::string time_words(const launch_report& l, const findings::finding& f);
// Whether a replay of the launch predicts the saving.
bool is_replayed(const launch_report& l, const findings::finding& f);

// A fix of a finding, in parts.
struct fix_words {
  bool is_fix = false;  // false if there is no fix; `text` is then the reason
  std::string code;     // the code of the layout, if the code fits into one line
  std::string text;     // the fix in words, or what follows the code
  std::string saving;   // "4,096 wavefronts instead of 67,584"; may be empty
  std::string hint;     // " (--fix prints the code)", with the blank; may be empty

  bool is_empty() const { return code.empty() && text.empty(); }
  std::string in_short() const;  // "fix: " and the code or the text
  std::string line() const;      // in_short(), the saving as a comment, and the hint
  std::string sentence() const;  // the same as in_short(), with a capital letter
};
// Returns the fix of a finding: the layout of the array, other instructions if they save more, or the remedy for the
// sectors. Returns empty words if bankwise did not search for fixes.
fix_words fix_of(const launch_report& l, const findings::finding& f);
// Whether bankwise can edit the launch's source so that an array gets a better layout.
bool has_fix(const launch_report& l);

}  // namespace bankwise
