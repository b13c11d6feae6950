// Compares predicted sectors with Nsight Compute's numbers: for each instruction or line with the source page, and for
// the launch with its counters.
#pragma once

#include "check/comparison.hpp"

namespace bankwise::check {

void compare_sectors(const launch_report& l, const measured_launch& m, compared_launch& c);
void compare_global_counters(const launch_report& l, const measured_launch& m, compared_launch& c);

}  // namespace bankwise::check
