// The result of run --schedules: orders of blocks, warps and paths in which a launch has other results.
#pragma once

#include <cstddef>
#include <string>

#include "model/launch.hpp"
#include "report/sections/launch_note.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns whether an order has results that differ in more than the rounding of sums.
bool depends_on_order(const launch_report& l);
// Returns a note without items if the results are the same in all orders.
launch_note other_results_note(const launch_report& l);
// Returns a text that ends with a newline, or an empty string if no other orders were tried. Lists at most `left` results,
// and subtracts their number from `left`.
std::string other_results_text(const launch_report& l, const style& s, std::size_t& left);

}  // namespace bankwise
