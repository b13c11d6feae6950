// Measures the parameters of the model of time (src/timing/parameters.def) on a GPU.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/probe/driver.hpp"
#include "timing/parameter_file.hpp"

namespace bankwise::probe {

// Loads the kernels, measures, and adds published and assumed values for the remaining parameters. This takes a few
// seconds. It needs memory of eight times the size of the L2 cache. Other programs on the GPU disturb the measurement.
result<timing::parameter_file> measure_parameters(
    gpu& on, const std::function<void(std::uint64_t, std::uint64_t, std::string_view)>& progress);

// Returns the parameters as a table for users.
std::string parameter_table(const timing::parameter_file& f);

}  // namespace bankwise::probe
