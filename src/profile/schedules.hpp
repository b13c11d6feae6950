// Executes a launch in other orders of its blocks, warps and diverged paths, to find out whether its results depend on
// the order.
//
//     seed 0   the usual order: out[0] = 3     Each order begins with the memory before the launch, and this memory is
//     seed 1   out[0] = 3                      restored. So the program sees only the results of its own run.
//     seed 2   out[0] = 5                      another result: --seed 2 repeats it
//
// The results are the bytes of global memory that the launch has changed. What a kernel prints does not count, because
// correct kernels print in any order. A launch is not executed again if it waits for the host, or changes too many bytes.
#pragma once

#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/parts/other_result.hpp"

namespace bankwise {

struct schedule_results {
  std::uint64_t orders = 0;  // number of orders that were tried; 0 if the launch cannot be executed again
  // The first order with another result. Before it, the first order with results that differ only in rounding.
  std::vector<other_result> others;
};
// Tries the seeds from 1 to `seeds`, until a result differs in more than rounding.
schedule_results try_schedules(const emulate::launch& l, emulate::device_memory& memory,
                               const emulate::launch_hooks& hooks, std::uint64_t seeds);

}  // namespace bankwise
