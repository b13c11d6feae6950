// Products of warp groups (wgmma) in the tensor cores. A warp commits its products in groups, and waits for groups.
#pragma once

#include <cstddef>

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/data_stage.hpp"
#include "timing/multiprocessor/pipes.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

// Executes a warp's quarter of a product of a warp group. The tensor cores read the operands through the data stage.
// `pipes` are those of the warp's quarter. Returns the time at which the product ends.
double multiply(const instruction_cost& c, running_warp& w, pipes_of_quarter& pipes, data_stage& stage,
                const multiprocessor_setup& s, double at);
// Returns the time at which at most `remaining` groups of the warp's products are in flight, or 0 if this is already the
// case. The warp then has not to wait for the other groups again.
double end_of_groups(running_warp& w, std::size_t remaining);
// The same for a wait that a changed source makes later by one group (code_change::keeps_group). `t`: the warp's trace.
double end_of_kept_groups(const launch_trace& t, running_warp& w, std::size_t remaining);

}  // namespace bankwise::timing
