// The least time of a launch, in clocks of one multiprocessor.
#pragma once

#include <cstdint>

#include "model/launch.hpp"

namespace bankwise {

// The time of one multiprocessor if nothing else limits it: its shared pipe processes one wavefront a clock, and each
// of its four schedulers issues one warp instruction a clock.
struct time_bound {
  std::uint64_t shared_cycles = 0;  // without the clocks in which wgmma multiplies but reads nothing
  std::uint64_t issue_cycles = 0;
  std::uint64_t shared_cycles_reachable = 0;  // without the wavefronts that a layout can remove
  std::uint64_t tensor_cycles = 0;            // of the tensor cores, for wgmma and tcgen05.mma
  bool nominal = false;                       // these are for tcgen05.mma, which nobody has measured
  // Passes of 128 bytes that asynchronous copies and the operands of tcgen05 take. Not part of shared_cycles, because
  // nobody has measured how they and the load/store unit share the bandwidth.
  std::uint64_t byte_passes = 0;
  // some of the removable wavefronts come from the data, so no layout removes them for all inputs
  bool by_data = false;
};
time_bound bound_of(const launch_report& l);

}  // namespace bankwise
