// Speed-ups between two kernels of examples/fixes: measured on an H100 at the sizes of the measured times, and
// predicted for the H100 by the model of src/timing (data/sm_90/predicted_times.csv).
#pragma once

#include <string>

namespace bankwise::test {

// Returns two cells of a table, "1.84x | 1.81x": the time of `before` divided by the time of `kernel`, measured and
// predicted. The cells are empty if both are the same kernel, or if the table has no row for one of the kernels.
std::string predicted_factors(const std::string& kernel, const std::string& before);

}  // namespace bankwise::test
