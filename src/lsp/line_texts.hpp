// The text for a source line with notes: its sums, its worst access, its sectors and its findings.
//
//     65,536 wavefronts for 2,048 executions; 2,048 reachable, 63,488 removable
//     LDS R5, [R4] of transpose
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "lsp/line_notes.hpp"
#include "report/text/access_report.hpp"

namespace bankwise::lsp {

inline constexpr std::size_t most_drawn = 6;  // limit for drawn wavefronts of a phase

// Sums for a line, over its instructions and all launches.
struct line_sum {
  std::uint64_t executed = 0, wavefronts = 0, reachable = 0, removable = 0, queued = 0;
  bool estimated = false;
};
line_sum sum_of(const line_note& n);
std::string sum_text(const line_sum& s);
access_report worst_of(const line_note& n);
bool overlaps(const line_note& n, std::size_t from, std::size_t to);
// The fix that a report has for the array of this instruction; null if it has none.
const known_fix* fix_of(const noted_site& s);

// Example: "32 wavefronts, 1 reachable"
std::string cost_in_short(const access_report& r);
// "8 sectors, 4 ideal", for one access. Empty if the line touches no more sectors than its bytes fill.
std::string sectors_in_short(const line_note& n);
// A drawing of the worst access on a line.
std::string access_text(const line_note& n);
// The sectors of a line, the reason for their number, and the remedy.
std::string global_text(const line_note& n);
// For each launch, the share of its time that warps wait at instructions of the line.
std::string time_text(const line_note& n);
std::string finding_message(const check::finding& f);
// Which reports are older than the source.
std::string stale_text(const source_notes& n);

std::set<std::string_view> words_of(std::string_view code);

}  // namespace bankwise::lsp
