// Describes blocks that race on global memory, so that the counts of the launch depend on the order of the blocks.
#pragma once

#include <functional>
#include <string>

#include "model/launch.hpp"
#include "report/sections/launch_note.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// The note has no items if no blocks race.
launch_note block_races_note(const launch_report& l);
// The text ends with a line break. It is empty if no blocks race.
std::string block_races_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
