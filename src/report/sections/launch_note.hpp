// Notes about a launch in addition to its costs: accesses out of bounds, hazards, loops that retry. The text report and
// the page show the same notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

struct launch_note {
  struct at {
    std::string_view does;  // for one of the two places of a hazard: "write"
    code_place place;
    std::string detail;  // further facts: "thread (31,0,0)"
  };
  struct item {
    std::string what;   // "writes 4 bytes right after the end of argument 1 (124 bytes at 0x700000000000)"
    std::string where;  // how often it happened, and where first
    std::vector<at> places;
    std::vector<std::string> trail;  // the call path
    std::string hint;
  };
  std::string title;  // "1 instruction out of bounds of global memory"
  std::string says;   // what that means
  std::vector<item> items;
  std::string hint;  // advice for all items
};

// The place of an instruction: "transpose.cu:18 pc 0x270 LDS R19, [R17]", and its device function. Without a line
// table, the line is shown as ?.
std::string place_text(const code_place& p);

// The notes about a launch in addition to its costs; a launch with a note does not count as one without findings.
std::vector<launch_note> notes_of(const launch_report& l);

}  // namespace bankwise
