// The minimum time of a launch, in clocks of one multiprocessor.
#pragma once

#include <cstdint>

#include "model/launch.hpp"

namespace bankwise {

// The time of one multiprocessor, if only the shared pipe and the schedulers limit this time. The shared pipe takes one
// clock for a wavefront, or two clocks on Turing (rule/clocks.hpp). Each of the four schedulers issues one warp
// instruction per clock.
struct time_bound {
  // clocks of the shared pipe, except those in which wgmma multiplies but reads nothing
  std::uint64_t shared_cycles = 0;
  std::uint64_t issue_cycles = 0;
  std::uint64_t shared_cycles_reachable = 0;  // the same clocks, without the wavefronts that a layout can remove
  std::uint64_t tensor_cycles = 0;            // clocks of the tensor cores for wgmma and tcgen05.mma
  // whether tensor_cycles includes tcgen05.mma, whose clocks are not measured
  bool nominal = false;
  // Passes of 128 bytes for asynchronous copies and for the operands of tcgen05. shared_cycles excludes them, because
  // it is unknown how they share the bandwidth with the load/store unit.
  std::uint64_t byte_passes = 0;
  // whether some removable wavefronts depend on data, so that no layout removes them for all inputs
  bool by_data = false;
};
time_bound bound_of(const launch_report& l);

}  // namespace bankwise
