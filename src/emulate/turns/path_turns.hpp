// Decides which path of a warp continues if its lanes compete and some lanes have executed YIELD. A trace of an H100:
//
//     CAS    lanes 0-31   0 stores, 1-31 do not
//     BRA    1-31 loop, 0 reaches BSYNC and waits for 1-31
//     YIELD  by 1-31      no other path is ready: 0 continues with its next round, and the barrier is empty
//     YIELD  by 0         1-31 have yielded at the same place: all continue together
//     CAS    lanes 0-31   the lowest possible lane stores; Nsight Compute counts one access for each of two paths
//
// Among the paths that wait at a BSYNC or after a YIELD, the path that has waited longest is next.
#pragma once

#include <cstdint>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

path* running(warp& w);

// Must be called after lanes of the worker's warp (the mask `lanes`) have executed an instruction. Sets the path that
// runs next. `gives_way`: whether the lanes let other paths run.
void next_turn(worker& m, sass::opcode op, std::uint32_t lanes, bool gives_way);

// Decides which of two paths runs first. Must be called after the branch at address `branch` has split the lanes of a
// warp. `stayed`: the path that did not jump. In general, the path that jumped runs first. The path that stayed runs
// first in two cases:
//   - Paths do not take turns, and the jump is backward. The path that stayed has left a loop. It runs first, and then
//     waits for the other path (timed on an H100).
//   - Paths take turns, the jump is forward, and the path that stayed has fewer lanes than the path that jumped.
void order_branch(warp& w, path& stayed, std::uint64_t branch);

}  // namespace bankwise::emulate
