// A table with the cost of each source line of a launch. If a line has several instructions, the table also lists the
// instructions.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"

namespace bankwise {

std::string cost_table(const launch_report& l, const style& s, const run_text_options& options);

// Returns a percentage, such as "12.5%". Returns "-" if the whole is zero.
std::string percent_text(std::uint64_t part, std::uint64_t whole);
// Returns the mean number of active lanes of a warp instruction, such as "27.4". Returns "-" if there are no
// instructions.
std::string mean_lanes_text(std::uint64_t lanes, std::uint64_t executed);

}  // namespace bankwise
