// Looks for wrong uses of barriers, shuffles and votes that a GPU lets pass (misuse in listener.hpp).
#pragma once

#include <cstdint>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// Whether run_misuse_check must be the handler of an instruction, so that its misuses are found.
bool may_be_misused(sass::opcode op);
// Runs u.checked, and reports misuses to the listener before.
step run_misuse_check(worker& m, const micro_op& u, std::uint32_t mask);
// The same for an instruction that also makes an order (order_events.hpp).
step run_told_and_misuse_check(worker& m, const micro_op& u, std::uint32_t mask);
// The lanes of `passed` wait at WARPSYNCs for lanes at a BSYNC, which now continue without them. `at`: a path at the
// BSYNC, and `here`: all lanes there.
void tell_lanes_passed(const worker& m, const path& at, std::uint32_t here, std::uint32_t passed);
// The path at a WARPSYNC continues. Reports the lanes of its mask that have ended.
void tell_lanes_ended(const worker& m, const path& at);
// Barrier `n` of the whole block opens. Reports the threads that ended and have not arrived.
void tell_barrier_skipped(worker& m, unsigned n);

}  // namespace bankwise::emulate
