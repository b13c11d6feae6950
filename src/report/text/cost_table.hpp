// What each source line of a launch costs, as a table, with the instructions of a line where there are several.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

std::string cost_table(const launch_report& l, const style& s, const run_text_options& options);

// "12.5%", or "-" of nothing.
std::string percent_text(std::uint64_t part, std::uint64_t whole);
// "27.4": lanes that were active, of 32, for each of so many warp instructions; "-" of none.
std::string mean_lanes_text(std::uint64_t lanes, std::uint64_t executed);

}  // namespace bankwise
