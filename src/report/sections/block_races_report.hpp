// Describes blocks that race on global memory: the counts of the launch depend on their order.
#pragma once

#include <functional>
#include <string>

#include "model/launch.hpp"
#include "report/sections/launch_note.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Has no items if there are none.
launch_note block_races_note(const launch_report& l);
// Text that ends with a line break; empty if there are none.
std::string block_races_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
