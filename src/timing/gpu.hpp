// GPUs by name, with the parameters of the timing model for each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "timing/gpu_parameters.hpp"

namespace bankwise::timing {

struct gpu_description {
  std::string_view name;   // name in lower case, without blanks and dashes
  std::string_view title;  // name for users
  std::uint32_t sm;
  // clock and boost in GHz, dram in GB/s, l2 in MB, l1 in KB, l2_rate in bytes per clock and multiprocessor
  double multiprocessors, clock, boost, dram, l2, l1, l2_rate;
  parameter_evidence evidence;
};
std::span<const gpu_description> known_gpus();
// Finds a GPU by a common name: "RTX 4090", "a100", "NVIDIA H100 PCIe". Returns null if the name is unknown. An empty
// name means the H100 SXM.
const gpu_description* find_gpu(std::string_view name);
gpu_parameters parameters_of(const gpu_description& g);
// Whether somebody measured the parameter on this GPU, or on one with its architecture.
bool is_published(const gpu_description& g, double gpu_parameters::*parameter);
// Returns the parameters of the same GPU with a different clock of the multiprocessors. L2, DRAM and the start of
// blocks take as many nanoseconds as before, because their clocks do not change.
gpu_parameters at_clock(gpu_parameters p, double gigahertz);

}  // namespace bankwise::timing
