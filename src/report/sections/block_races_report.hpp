// Describes races between blocks on global memory: those that --check race found, or those on which counts depend.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/launch.hpp"
#include "report/sections/launch_note.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns the name of a cause in the JSON. parse_race_cause() converts it back.
std::string_view name_of(race_cause c);
bool parse_race_cause(std::string_view name, race_cause& c);
// Returns a note without items if no blocks race.
launch_note block_races_note(const launch_report& l);
// Returns a text that ends with a newline, or an empty string if no blocks race.
std::string block_races_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
