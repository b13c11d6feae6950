// Which path of a warp goes on where its lanes compete, once some have given way by YIELD. As traced on an H100:
//
//     CAS    lanes 0-31   0 stores, 1-31 do not
//     BRA    1-31 loop, 0 comes to BSYNC and waits for them
//     YIELD  by 1-31      nobody else is ready: 0 goes on, to its next round, and the barrier is empty
//     YIELD  by 0         1-31 have given way at the same place: all go on together
//     CAS    lanes 0-31   the lowest that can stores; Nsight Compute counts two, since two paths arrived
//
// Of paths that wait, at a BSYNC or since they gave way, that which has waited longest is next.
#pragma once

#include <cstdint>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The path whose turn it is. Null: none is ready.
path* running(warp& w);

// After an instruction of the warp, executed by these lanes: whose turn it is then. `gives_way`: they let others run.
void next_turn(worker& m, sass::opcode op, std::uint32_t lanes, bool gives_way);

// After a branch of the warp at this address that lanes took two ways, `stayed` being those that did not jump: which go on first.
// Those that leave a loop, so that they wait for the others, also as timed on an H100; where paths take turns, those that
// jump, but for few that stay before a jump forwards.
void order_branch(warp& w, path& stayed, std::uint64_t branch);

}  // namespace bankwise::emulate
