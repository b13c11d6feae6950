// Compares predicted sectors with Nsight Compute's numbers. The source page has numbers for instructions or lines, and
// the counters are for the launch.
#pragma once

#include "check/comparison.hpp"

namespace bankwise::check {

void compare_sectors(const launch_report& l, const measured_launch& m, compared_launch& c);
void compare_global_counters(const launch_report& l, const measured_launch& m, compared_launch& c);

}  // namespace bankwise::check
