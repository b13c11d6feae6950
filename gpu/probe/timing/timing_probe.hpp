// Measures the parameters of the model of time (src/timing/parameters.def) on a GPU.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/probe/driver.hpp"
#include "timing/parameter_file.hpp"

namespace bankwise::probe {

// Loads the kernels, measures, and completes the parameters with published and assumed ones. It takes a few seconds,
// and eight times as much memory as L2 has. Other programs on the GPU disturb it.
result<timing::parameter_file> measure_parameters(
    gpu& on, const std::function<void(std::uint64_t, std::uint64_t, std::string_view)>& progress);

// The parameters as a table for a reader.
std::string parameter_table(const timing::parameter_file& f);

}  // namespace bankwise::probe
