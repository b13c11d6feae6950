// The results of run --check: accesses that no barrier orders, reads of unwritten bytes, wrong uses of barriers.
#pragma once

#include <functional>
#include <string>

#include "model/report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// The number of hazards of a launch that do not fail the run.
std::size_t warnings_in(const launch_report& l);

// Returns the result of the checks of all launches and of the program's calls: "no races, no uninitialised reads", "no
// races", "2 hazards, 1 warning". Returns an empty string if no launch was checked.
std::string checks_sentence(const report& r);
// Returns a note without items if no hazards were found.
launch_note hazards_note(const launch_report& l);
// Returns a text that ends with a newline. Returns an empty string if bankwise did not search for hazards and saw no
// race in the first blocks.
std::string hazards_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line,
                         std::size_t& left);

}  // namespace bankwise
