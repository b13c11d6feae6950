// How much of each resource a launch uses, as on Nsight Compute's speed-of-light page. The numbers are between 0 and 1.
//
// The use of a unit is the highest of its counters. A multiprocessor counts issued instructions and the use of each
// pipe. L1 counts the wavefronts of its data stage, and the data that it sends. L2 counts the data that it receives,
// and the data between its halves.
#pragma once

#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

struct resource_use {
  double issue = 0;  // warp instructions, relative to 4 per clock
  double pipes = 0;  // the busiest pipe of the multiprocessor, including memory and address pipes
  double l1 = 0, l2 = 0, dram = 0;
};

// `r` is the run of one multiprocessor, which represents `multiprocessors`. `times` is the number of instructions of a
// multiprocessor divided by that of the run. `cycles` are the cycles of the launch.
resource_use use_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const multiprocessor_run& r,
                    const gpu_parameters& gpu, double multiprocessors, double times, double cycles);

}  // namespace bankwise::timing
