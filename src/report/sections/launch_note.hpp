// Notes about a launch that do not describe costs: accesses out of bounds, hazards, loops that retry. The text report
// and the page show the same notes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

struct launch_note {
  struct at {
    std::string_view does;  // what this access of a hazard does, such as "write"
    code_place place;
    std::string detail;  // further facts about the access, such as "thread (31,0,0)"
  };
  struct item {
    std::string what;   // event, such as "writes 4 bytes right after the end of argument 1 (124 bytes at 0x7000...)"
    std::string where;  // how often this happened, and where it happened first
    std::vector<at> places;
    std::vector<std::string> trail;  // callers on the host
    std::string hint;
  };
  std::string title;  // heading, such as "1 instruction out of bounds of global memory"
  std::string says;   // explanation of the note
  std::vector<item> items;
  std::string hint;  // advice about all items of the note
};

// Returns the place of an instruction: "transpose.cu:18 pc 0x270 LDS R19, [R17]", and its device function. Without a
// line table, the line is a question mark.
std::string place_text(const code_place& p);

// Returns the items of a note about accesses, numbered, with their places and source lines. `left` is the number of items
// that the report may still list.
std::string items_text(const launch_note& n, const style& s,
                       const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line,
                       std::size_t& left);
// Counts item i of a note. Returns a line that replaces this item and the rest if no item is left.
std::string cut_text(const launch_note& n, std::size_t i, std::size_t& left);

// Returns all notes about a launch. For a launch with a note, the report does not print that there are no findings.
std::vector<launch_note> notes_of(const launch_report& l);

}  // namespace bankwise
