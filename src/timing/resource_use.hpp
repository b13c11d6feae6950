// How much of each resource a launch uses: the percentages of Nsight Compute's speed-of-light page, as parts of 1.
//
// The use of a unit is the highest of its counters. A multiprocessor counts issued instructions and the use of each
// pipe. L1 counts the wavefronts of its data stage and the data that it sends. L2 counts the data that it receives and
// the data between its halves.
#pragma once

#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

struct resource_use {
  double issue = 0;  // warp instructions, of 4 a clock
  double pipes = 0;  // the busiest pipe of the multiprocessor, including memory and address pipes
  double l1 = 0, l2 = 0, dram = 0;
};

// `r`: the run of one multiprocessor, which stands for `multiprocessors`. `times`: the instructions of a multiprocessor
// divided by those of the run. `cycles`: of the launch.
resource_use use_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const multiprocessor_run& r,
                    const gpu_parameters& gpu, double multiprocessors, double times, double cycles);

}  // namespace bankwise::timing
