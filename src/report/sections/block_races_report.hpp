// Describes races between blocks on global memory: those that --check race found, or those on which counts depend.
#pragma once

#include <functional>
#include <string>

#include "model/launch.hpp"
#include "report/sections/launch_note.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// The number of races between blocks that do not fail the run.
std::size_t race_warnings_in(const launch_report& l);
// Returns such as "2 races and 1 warning".
std::string races_in_words(std::size_t races, std::size_t warnings);
// Returns a note without items if no blocks race.
launch_note block_races_note(const launch_report& l);
// Returns a text that ends with a newline, or an empty string if no blocks race.
std::string block_races_text(const launch_report& l, const style& s,
                             const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line,
                             std::size_t& left);

}  // namespace bankwise
