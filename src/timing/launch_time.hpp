// How long a launch takes on a GPU, from the trace of a few of its blocks, and what bounds it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/launch_trace.hpp"

namespace bankwise::timing {

// The resources that a launch may wait for.
enum class resource : std::uint8_t {
  issue,
  data_stage,  // of shared memory and L1
  pipes,
  l2,
  dram,
  latency,
  launch,
  barriers,
  count,
};
std::string_view name_of(resource r);

struct resource_share {
  resource what = resource::issue;
  double share = 0;  // of the elapsed cycles that go away without it
};

struct launch_time {
  double cycles = 0;  // elapsed
  double cycles_low = 0, cycles_high = 0;
  double microseconds = 0;
  resource bound = resource::launch;
  std::vector<resource_share> shares;  // the largest first
};

// The state of the model's multiprocessor, to find the causes of errors.
std::string busy_text(const launch_trace& t, const gpu_parameters& gpu);
// Only the elapsed cycles.
double predict_cycles(const launch_trace& t, const gpu_parameters& gpu);
launch_time predict_time(const launch_trace& t, const gpu_parameters& gpu);

}  // namespace bankwise::timing
