// Loops around a compare-and-swap that lanes retry, in words.
#pragma once

#include <functional>
#include <string>

#include "model/report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// The note has no items if there are none.
launch_note retries_note(const launch_report& l);
// The text ends with a newline; it is empty if there are none.
std::string retries_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
