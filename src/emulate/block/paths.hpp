// Operations on the paths of a warp: split, wait, join, end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The lanes `taken` jump to `target`. The other lanes of the path continue after instruction `u`.
step branch(worker& m, const micro_op& u, std::uint32_t taken, std::uint64_t target);
// The lanes `leaving` of the worker's path become a separate path at `pc`.
path& split(worker& m, std::uint32_t leaving, std::uint64_t pc);
step end_lanes(worker& m, const micro_op& u, std::uint32_t mask);
// Lets other paths run. The lanes leave their convergence barriers, so that no lane waits for them. But they stay in
// barriers that they entered by BSSY.RECONVERGENT, because the compiler's code after these barriers needs all lanes on
// one path.
step yield_lanes(worker& m, const micro_op& u, std::uint32_t mask);
// Joins this path with the ready paths at the same address. Returns the index of the joined path.
std::size_t join_ready(warp& w, std::size_t chosen);
// Joins the ready paths of these lanes that are at the same address.
void join_ready(warp& w, std::uint32_t lanes);
// Releases the paths that wait at a convergence barrier, even if lanes are missing. Clears the barrier.
void empty_barrier(worker& m, unsigned barrier);
// Releases the paths of the warp whose convergence barrier or WARPSYNC is complete.
void release_paths(worker& m);
// Called for a warp that cannot continue otherwise. Releases a path in one of two situations. Returns whether a path is
// ready afterwards.
//   - The path's convergence barrier waits only for lanes at a WARPSYNC. This happens if some lanes reach a
//     __syncwarp() and the other lanes end (measured on an H100).
//   - The path is at a BSYNC.RELIABLE (since sm_100), and waits only for lanes at other barriers (assumed). This
//     happens if ptxas lets the cases of two switches share code, and this code leaves the barrier of only one switch.
bool pass_those_who_wait(worker& m, warp& w);
// Lanes of the path arrive at a block barrier. If `wait` is true, these lanes wait until the barrier opens. `expected`:
// the number of threads. 0 means the whole block.
step arrive(worker& m, const micro_op& u, std::uint32_t mask, unsigned barrier, std::uint32_t expected, bool wait);
// Opens the block barriers at which all threads have arrived.
void release_block_barriers(worker& m);
void release_block_barrier(worker& m, unsigned n);
// The warp waits until the other warps of its warp group have begun and have executed as many products as this warp.
step meet_group(worker& m, const micro_op& u, std::uint32_t mask);
// Removes all arrivals from a barrier.
void clear(block_barrier& b);

}  // namespace bankwise::emulate
