// The view of a launch on a page: every fact and sentence of the head, the findings, the clocks and the notes. The page
// itself has no sentences about launches.
#pragma once

#include "report/json/field.hpp"
#include "report/sections/launch_note.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise {

// The sentences about an instruction.
struct site_view {
  std::string win;  // saving without the conflicts of this instruction; empty if no lane accesses a bank
  std::string
      // saving if the whole source line had no conflicts; empty if the line has only this instruction, or if nothing
      // can be saved
      win_of_line;
  std::string beside;    // for an operation that has no lanes: its effect on shared memory
  std::string estimate;  // possible error of the counts, for a sample
  // "Warps spend 40% of their time at this line: ..."; empty if the share is small or the time is not predicted
  std::string waits;
  std::string depends;   // text such as "Depends on data (address)."; empty if unknown
  std::string evidence;  // evidence for the counts, such as "Measured"
};

struct finding_view {
  // Indices of the finding's instructions, highest cost first. One of the lists is empty.
  std::vector<std::size_t> sites, global_sites;
  std::string path;        // path of the source when it was compiled
  std::uint32_t line = 0;  // 0 if unknown
  std::string function;    // place of the first instruction
  std::uint64_t pc = 0;
  std::uint64_t amount = 0;          // what a remedy removes
  std::string share;                 // "93.9%"; may be empty
  std::string place, sass;           // "transpose.cu:18" or "the launch"; the worst instruction, if there is one
  std::string says;                  // what is wrong, and its cost
  std::string time;                  // "removing it saves 43%: ..."; may be empty
  std::string also;                  // "also lines 11, 13"; may be empty
  std::vector<std::uint32_t> lines;  // their numbers in the same file
  std::uint64_t removable = 0, queued = 0;
};

// The share of the warps' time that is spent at a line.
struct line_time {
  std::string path;
  std::uint32_t line = 0;
  std::uint64_t percent = 0;
  std::string waits;  // "global memory 81%, a barrier 9%"
};

struct launch_view {
  std::string worst;     // worst finding: "transpose.cu:18: a 32-way bank conflict on bank 7, ..."; or empty
  std::string fix;       // fix of this finding in one line; empty if there is none
  std::string facts;     // "grid 8, 8 · block 32, 8 · ..."
  std::string partial;   // reason why the report is incomplete; empty if it is complete
  std::string estimate;  // possible error of the counts; empty if nothing was sampled
  std::vector<clock_row> clocks;
  // "about 12.3 us on an H100 SXM (10.9 to 13.8), bound by memory latency"; empty without a prediction
  std::string time;
  std::string bound;
  std::uint64_t nanoseconds = 0;           // the predicted time; 0 without a prediction
  std::string bound_by, occupancy, waves;  // in short, as in the table of the text report; may be empty
  std::string products;                    // "tensor cores busy 43%, waiting for copies 40%, epilogue 9%"; may be empty
  std::string together;                    // "the first 3 changes save 61% of the time: ..."; may be empty
  std::vector<line_time> lines;            // the line with the longest time is first
  std::string verdict;                     // last line of the section "does it matter?" in the text report
  std::string doubt;                       // facts that are unknown or not counted; empty if there are none
  std::string nothing;                     // why the launch has no findings
  std::vector<finding_view> findings;
  std::vector<site_view> sites;    // instructions, in the order of launch_report::sites
  std::vector<launch_note> notes;  // notes that are not about costs, such as hazards
};

launch_view view_of(const report& r, const launch_report& l);

const fields<launch_view>& launch_view_fields();
const fields<site_view>& site_view_fields();
const fields<clock_row>& clock_row_fields();
const fields<line_time>& line_time_fields();
const fields<finding_view>& finding_view_fields();
const fields<launch_note>& note_fields();
const fields<launch_note::item>& note_item_fields();
const fields<launch_note::at>& note_place_fields();

}  // namespace bankwise
