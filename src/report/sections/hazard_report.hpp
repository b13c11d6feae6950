// What run --check found: accesses of shared memory that nothing orders, reads of what nobody wrote.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// "read_after_write", as the JSON has it, and back.
std::string_view name_of(hazard_kind k);
bool parse_hazard_kind(std::string_view name, hazard_kind& k);

// Without items if nothing was found.
launch_note hazards_note(const launch_report& l);
// Ends with a line; empty if nothing was looked for.
std::string hazards_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
