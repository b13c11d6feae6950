// The clocks of memory fences.
#pragma once

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/setup.hpp"

namespace bankwise::timing {

double fence_clocks(const instruction_cost& c, const multiprocessor_setup& s);
double fence_clocks(const instruction_cost& c, const gpu_parameters& p);
// Whether a fence makes the warp itself wait, because no scoreboard tracks the fence.
bool waits_for_fence(const instruction_cost& c);

}  // namespace bankwise::timing
