// The place of a fault: the thread, the source line, and the path of calls that led there.
#pragma once

#include <array>
#include <cstdint>

#include "base/diagnostic.hpp"
#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

// The index in its block of the thread in a lane of the worker's warp.
std::array<std::uint32_t, 3> thread_of(const worker& m, int lane);

// Adds the source line of the instruction, and then the call path. Inlined calls come from the line table. Other calls
// come from the lane's call log.
void add_source(diagnostic& d, const worker& m, std::uint64_t pc, int lane);

}  // namespace bankwise::emulate
