// How long a launch takes on a GPU, from the trace of a few of its blocks, and what bounds it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/multiprocessor.hpp"
#include "timing/resource_use.hpp"
#include "timing/stall.hpp"
#include "timing/trace/launch_trace.hpp"

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
  double share = 0;  // the part of the elapsed cycles that is saved without it
};

// The largest number of instructions of a replay with changed wavefronts.
constexpr std::uint64_t most_for_changes = 100'000;

struct launch_time {
  double cycles = 0;  // elapsed
  double cycles_low = 0, cycles_high = 0;
  double microseconds = 0;
  // The most used resource, as on Nsight Compute's speed-of-light page. If no resource is used for half of the time,
  // the one with the largest share.
  resource bound = resource::launch;
  resource_use use;
  std::vector<resource_share> shares;  // the largest first
  std::uint64_t replayed = 0;          // instructions, over all replays
  std::vector<stall_clocks> stalls;    // of all warps of the launch, by instruction (launch_trace::code)
};

// The results of the simulated multiprocessor: bench/predict_traces.cpp prints them to find the causes of errors.
struct simulated_launch {
  multiprocessor_run run;
  std::vector<multiprocessor_setup::block> blocks;  // the blocks of the run
  double steady_rate = 0;                           // instructions a clock while it was full
};
simulated_launch simulate(const launch_trace& t, const gpu_parameters& gpu);
// Only the elapsed cycles.
double predict_cycles(const launch_trace& t, const gpu_parameters& gpu);
// `assumed`: the GPU's numbers are scaled from another's, so that the interval is wider.
launch_time predict_time(const launch_trace& t, const gpu_parameters& gpu, bool assumed = false);

// An instruction whose accesses to shared memory get another number of wavefronts.
struct changed_instruction {
  std::uint32_t code = 0;  // in launch_trace::code
  double factor = 1;       // the new number divided by the old one
};

// Predicts a launch with such changes. The launch is prepared once for several calls.
class changed_launch {
 public:
  changed_launch(const launch_trace& t, const gpu_parameters& gpu);
  ~changed_launch();
  // The elapsed cycles with the changes, divided by those without. `blocks`: if not 0, the number of resident blocks.
  double part_with(std::span<const changed_instruction> changes, std::uint32_t blocks = 0);

 private:
  std::unique_ptr<struct prepared_launch> prepared_;
  std::vector<float> factors_;
  double as_it_is_ = 0;
};

}  // namespace bankwise::timing
