// How much of each resource a launch uses: the percentages of Nsight Compute's speed-of-light page, as parts of 1.
//
// A unit's part is the highest of what it counts: a multiprocessor its issued instructions and each of its pipes, L1 the
// wavefronts of its data stage and what it sends, L2 what comes to it and what crosses between its halves.
#pragma once

#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

struct resource_use {
  double issue = 0;  // warp instructions, of 4 a clock
  double pipes = 0;  // the highest pipe of the multiprocessor, those to memory and for addresses included
  double l1 = 0, l2 = 0, dram = 0;
};

// `r`: the run of one multiprocessor, which stands for `multiprocessors`. `times`: how often its instructions fit into
// what a multiprocessor has. `cycles`: of the launch.
resource_use use_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const multiprocessor_run& r,
                    const gpu_parameters& gpu, double multiprocessors, double times, double cycles);

}  // namespace bankwise::timing
