// Notes about a launch that are not about costs: accesses out of bounds, hazards, loops that retry. The text report and
// the page show the same notes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/report.hpp"

namespace bankwise {

struct launch_note {
  struct at {
    std::string_view does;  // for each of the two accesses of a hazard: "write"
    code_place place;
    std::string detail;  // more facts, such as "thread (31,0,0)"
  };
  struct item {
    std::string what;   // example: "writes 4 bytes right after the end of argument 1 (124 bytes at 0x700000000000)"
    std::string where;  // how often this happened, and where it happened first
    std::vector<at> places;
    std::vector<std::string> trail;  // the call path on the host
    std::string hint;
  };
  std::string title;  // example: "1 instruction out of bounds of global memory"
  std::string says;   // the meaning of the note
  std::vector<item> items;
  std::string hint;  // advice about all items
};

// The place of an instruction: "transpose.cu:18 pc 0x270 LDS R19, [R17]", and its device function. If there is no line
// table, the line is a question mark.
std::string place_text(const code_place& p);

// All notes about a launch. A launch with a note does not count as a launch without findings.
std::vector<launch_note> notes_of(const launch_report& l);

}  // namespace bankwise
