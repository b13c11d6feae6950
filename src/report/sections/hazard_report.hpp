// The results of run --check: accesses to shared memory that no barrier orders, and reads of unwritten bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns the name of a kind in the JSON, such as "read_after_write". parse_hazard_kind() converts it back.
std::string_view name_of(hazard_kind k);
bool parse_hazard_kind(std::string_view name, hazard_kind& k);
std::string_view name_of(hazard_cause c);
bool parse_hazard_cause(std::string_view name, hazard_cause& c);

// Returns the result of the checks of all launches: "no races, no uninitialised reads", "no races" or "2 hazards". Returns
// an empty string if no launch was checked.
std::string checks_sentence(const report& r);
// Returns a note without items if no hazards were found.
launch_note hazards_note(const launch_report& l);
// Returns a text that ends with a newline. Returns an empty string if bankwise did not search for hazards and saw no
// race in the first blocks.
std::string hazards_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
