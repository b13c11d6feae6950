// Which path of a warp continues if its lanes compete, after some of them have executed YIELD. As traced on an H100:
//
//     CAS    lanes 0-31   0 stores, 1-31 do not
//     BRA    1-31 loop, 0 comes to BSYNC and waits for them
//     YIELD  by 1-31      no other path is ready: 0 continues with its next round, and the barrier is empty
//     YIELD  by 0         1-31 have yielded at the same place: all continue together
//     CAS    lanes 0-31   the lowest possible lane stores; Nsight Compute counts two, since two paths arrived
//
// Among the paths that wait, at a BSYNC or after a YIELD, the one that has waited longest is next.
#pragma once

#include <cstdint>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The path whose turn it is. Null if no path is ready.
path* running(warp& w);

// Call it after an instruction of the warp, executed by these lanes: it sets the next path. `gives_way`: the lanes let
// others run.
void next_turn(worker& m, sass::opcode op, std::uint32_t lanes, bool gives_way);

// Call it after a branch at this address that split the lanes of a warp (`stayed`: those that did not jump): it chooses
// the part that continues first. The part that leaves a loop continues first, so that it waits for the other part
// (timed on an H100). If paths take turns, the part that jumps continues first, except before a forward jump with few
// lanes that stay.
void order_branch(warp& w, path& stayed, std::uint64_t branch);

}  // namespace bankwise::emulate
