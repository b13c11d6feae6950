// Factors of elapsed cycles between two kernels of examples/fixes, at the sizes of their times: measured on an H100,
// and predicted for it by the model of src/timing (data/sm_90/predicted_times.csv).
#pragma once

#include <string>

namespace bankwise::test {

// Cells of a table, "1.84x | 1.81x": the time of `before` divided by that of `kernel`. They are empty if it is the same
// kernel, or if the table has no row for one of them.
std::string predicted_factors(const std::string& kernel, const std::string& before);

}  // namespace bankwise::test
