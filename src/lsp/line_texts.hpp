// The texts about a source line with notes: sums, the worst access, sectors and findings.
//
//     65,536 wavefronts for 2,048 executions; 2,048 reachable, 63,488 removable
//     LDS R5, [R4] of transpose
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "lsp/line_notes.hpp"
#include "report/picture/access_report.hpp"

namespace bankwise::lsp {

inline constexpr std::size_t most_drawn = 6;  // largest number of wavefronts of a phase that are drawn

// The sums of a line over all instructions and launches.
struct line_sum {
  std::uint64_t executed = 0, wavefronts = 0, reachable = 0, removable = 0, queued = 0;
  bool estimated = false;
};
line_sum sum_of(const line_note& n);
std::string sum_text(const line_sum& s);
access_report worst_of(const line_note& n);
bool overlaps(const line_note& n, std::size_t from, std::size_t to);
// Returns the fix for the array of this instruction from a report, or null.
const known_fix* fix_of(const noted_site& s);

// Returns a text such as "32 wavefronts, 1 reachable".
std::string cost_in_short(const access_report& r);
// Returns a text such as "8 sectors, 4 ideal" for one access. Returns an empty string if the access needs only the
// sectors that the line's bytes fill.
std::string sectors_in_short(const line_note& n);
// Draws the worst access of a line.
std::string access_text(const line_note& n);
// Returns the sectors of a line, with the reason and the remedy.
std::string global_text(const line_note& n);
// Returns a percentage for each launch: the part of the launch's time in which warps wait at instructions of the line.
std::string time_text(const line_note& n);
std::string finding_message(const check::finding& f);
// Returns a sentence that names the reports that are older than the source.
std::string stale_text(const source_notes& n);

std::set<std::string_view> words_of(std::string_view code);

}  // namespace bankwise::lsp
