// What the warps of a block execute between two of its barriers, and the same work divided evenly among them.
//
//     warp 0   |----------- 1,240 -----------| barrier         warp 0   |- 180 -| barrier
//     warp 1   |- 37 -| waits                 barrier         warp 1   |- 180 -| barrier
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profile/delays/traced_launch.hpp"

namespace bankwise {

// The waits at one barrier of the code.
struct barrier_waits {
  std::uint64_t times = 0;              // how often blocks met at the barrier
  std::uint64_t longest = 0, mean = 0;  // instructions before it by the warp with the most, and by an average warp
  std::map<std::uint32_t, std::uint64_t> last;  // how often each warp had the most
};

struct even_work {
  timing::launch_trace trace;                    // what a replay reads, with the same work in all warps
  std::map<std::uint32_t, barrier_waits> waits;  // by the barrier's instruction
  std::map<std::uint32_t, std::uint64_t>
      moved;                            // instructions that other warps take over, by the run's first instruction
  std::uint64_t longest = 0, mean = 0;  // sums over all barriers
};

// Returns the work of a launch, divided evenly. The list of waits is empty if the warps of a block do not meet at the
// same barriers, or if some of them only copy for the others.
even_work even_work_of(const traced_launch& l);

}  // namespace bankwise
