// What a page shows about a launch in addition to the numbers of the report: every fact and sentence of its head,
// findings, clocks and notes. The page has no sentences of its own.
#pragma once

#include "report/json/field.hpp"
#include "report/sections/launch_note.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise {

// For an instruction.
struct site_view {
  std::string win;  // what removing its conflicts can save; empty if it has no access, or no active lane
  std::string
      // the same for all instructions of its line; empty if it is the only one, or if nothing can be saved
      win_of_line;
  std::string beside;    // for an operation without lanes: what it does with shared memory
  std::string estimate;  // for a sample: how far its counts may be off
  // "Warps spend 40% of their time at this line: ..."; empty if it is little time, or not predicted
  std::string waits;
  std::string depends;   // "Depends on data (address)."; empty if it is unknown
  std::string evidence;  // "Measured"
};

struct finding_view {
  std::vector<std::size_t> sites;  // the worst first
  std::string path;                // as it was compiled
  std::uint32_t line = 0;          // 0 if unknown
  std::uint64_t removable = 0, queued = 0;
};

struct launch_view {
  std::string worst;     // "transpose.cu:18: a 32-way bank conflict on bank 7, ..."; empty if there are no findings
  std::string fix;       // its fix, in one line; empty if none is known
  std::string facts;     // "grid 8, 8 · block 32, 8 · ..."
  std::string partial;   // what is missing; empty if the report is complete
  std::string estimate;  // how far the counts of a sample may be off; empty if it is not a sample
  std::vector<clock_row> clocks;
  // "about 12.3 us on an H100 SXM (10.9 to 13.8), bound by memory latency"; empty without a prediction
  std::string time;
  std::string bound;    // the same in cycles, and the time without each resource
  std::string verdict;  // the last line of the text report's "does it matter?"
  std::string doubt;    // what is unknown or not counted; empty if nothing is missing
  std::string nothing;  // why there are no findings
  std::vector<finding_view> findings;
  std::vector<site_view> sites;    // in the order of the launch's sites
  std::vector<launch_note> notes;  // notes in addition to the costs
};

launch_view view_of(const report& r, const launch_report& l);
// The saving for all launches together, one after another.
std::string program_sentence(const report& r);

const fields<launch_view>& launch_view_fields();
const fields<site_view>& site_view_fields();
const fields<clock_row>& clock_row_fields();
const fields<finding_view>& finding_view_fields();
const fields<launch_note>& note_fields();
const fields<launch_note::item>& note_item_fields();
const fields<launch_note::at>& note_place_fields();

}  // namespace bankwise
