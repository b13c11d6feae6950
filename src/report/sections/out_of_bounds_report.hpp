// Accesses to global memory just outside an allocation, which a GPU does not report: in words and as JSON.
#pragma once

#include <functional>
#include <string>

#include "model/report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// The note has no items if no access was out of bounds.
launch_note out_of_bounds_note(const launch_report& l);
// The text ends with a newline. It is empty if no access was out of bounds.
std::string out_of_bounds_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
