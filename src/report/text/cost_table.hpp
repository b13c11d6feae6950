// The cost of each source line of a launch, as a table; a line with several instructions also lists them.
#pragma once

#include <string>

#include "model/report.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

std::string cost_table(const launch_report& l, const style& s, const run_text_options& options);

// "12.5%", or "-" if the whole is zero.
std::string percent_text(std::uint64_t part, std::uint64_t whole);
// "27.4": the average number of active lanes for each warp instruction; "-" if there are none.
std::string mean_lanes_text(std::uint64_t lanes, std::uint64_t executed);

}  // namespace bankwise
