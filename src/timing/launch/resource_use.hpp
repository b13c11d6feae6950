// How much of each resource a launch uses, as on Nsight Compute's speed-of-light page. The numbers are between 0 and 1.
//
// The use of a unit is the highest of its counters. The counters of a multiprocessor are the issued instructions and
// the use of each pipe. The counters of L1 are the wavefronts of its data stage, and the data that L1 sends. The
// counters of L2 are the data that L2 receives, and the data between its halves.
#pragma once

#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/multiprocessor.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

struct resource_use {
  double issue = 0;  // warp instructions per clock divided by 4, the highest rate
  double held = 0;   // part of the time in which the busiest quarters issue, or wait for the register banks
  double pipes = 0;  // use of the busiest pipe of the multiprocessor, including memory and address pipes
  double l1 = 0, l2 = 0, dram = 0;
};

// Returns the use of a launch. `r` is the run of one multiprocessor, which represents all `multiprocessors`. `times` is
// a ratio: the number of a multiprocessor's instructions divided by the number in the run. `cycles` are the cycles of
// the launch.
resource_use use_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const multiprocessor_run& r,
                    const gpu_parameters& gpu, double multiprocessors, double times, double cycles);

}  // namespace bankwise::timing
