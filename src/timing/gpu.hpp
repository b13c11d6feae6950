// GPUs by name, with the parameters of the timing model for each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "timing/gpu_parameters.hpp"

namespace bankwise::timing {

struct gpu_description {
  std::string_view name;   // name in small letters, without blanks and dashes
  std::string_view title;  // name for users
  std::uint32_t sm;
  double multiprocessors, clock, dram, l2, l1, l2_rate;  // units: GHz, GB/s, MB, KB, bytes per clock and multiprocessor
  parameter_evidence evidence;
};
std::span<const gpu_description> known_gpus();
// Finds a GPU by a common name: "RTX 4090", "a100", "NVIDIA H100 PCIe". Null if the name is unknown. An empty name
// means the H100 SXM.
const gpu_description* find_gpu(std::string_view name);
gpu_parameters parameters_of(const gpu_description& g);
// The parameters of the same GPU with another clock of its multiprocessors. The clocks of L2, of DRAM and of the start
// of blocks do not change, so these take as many nanoseconds as before.
gpu_parameters at_clock(gpu_parameters p, double gigahertz);

}  // namespace bankwise::timing
