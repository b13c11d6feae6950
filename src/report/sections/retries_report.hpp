// Describes compare-and-swap loops in which lanes retry.
#pragma once

#include <functional>
#include <string>

#include "model/report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns a note without items if there are no such loops.
launch_note retries_note(const launch_report& l);
// Returns a text that ends with a newline, or an empty string if there are no such loops.
std::string retries_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line);

}  // namespace bankwise
