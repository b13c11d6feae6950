// GPUs by name, and the model's data for each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "timing/gpu_parameters.hpp"

namespace bankwise::timing {

struct gpu_description {
  std::string_view name;   // without blanks and dashes, in small letters
  std::string_view title;  // for a reader
  std::uint32_t sm;
  double multiprocessors, clock, dram, l2, l1, l2_rate;  // GHz, GB/s, MB, KB, bytes a clock and multiprocessor
  parameter_evidence evidence;
};
std::span<const gpu_description> known_gpus();
// By a common name: "RTX 4090", "a100", "NVIDIA H100 PCIe". Null if unknown. An empty name means the H100 SXM.
const gpu_description* find_gpu(std::string_view name);
gpu_parameters parameters_of(const gpu_description& g);
// The same GPU with another clock rate of its multiprocessors. L2, DRAM and the start of blocks keep their clock rates:
// they take as many nanoseconds as before.
gpu_parameters at_clock(gpu_parameters p, double gigahertz);

}  // namespace bankwise::timing
