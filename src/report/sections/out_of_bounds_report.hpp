// Reports accesses just outside an allocation of global memory or just after the end of shared memory, as text and as
// JSON. A GPU permits such accesses without an error.
#pragma once

#include <functional>
#include <string>

#include "model/report.hpp"
#include "report/sections/launch_note.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// The memory that the accesses were in, such as "global memory".
std::string memory_out_of_bounds(const std::vector<out_of_bounds_access>& all);
// Returns a note without items if no access was out of bounds.
launch_note out_of_bounds_note(const launch_report& l);
// Returns a text that ends with a newline, or an empty string if no access was out of bounds.
std::string out_of_bounds_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line, std::size_t& left);

}  // namespace bankwise
