// The least time of a launch, in clocks of one multiprocessor.
#pragma once

#include <cstdint>

#include "model/launch.hpp"

namespace bankwise {

// The time of one multiprocessor if nothing else limits it: its shared pipe passes a wavefront a clock, and its four
// schedulers issue a warp instruction each.
struct time_bound {
  std::uint64_t shared_cycles = 0;  // without the clocks in which wgmma multiplies and reads nothing
  std::uint64_t issue_cycles = 0;
  std::uint64_t shared_cycles_reachable = 0;  // with every wavefront gone that a layout can remove
  std::uint64_t tensor_cycles = 0;            // of the tensor cores, only for wgmma
  // the data cause some of the removable wavefronts, which no layout removes
  bool by_data = false;
};
time_bound bound_of(const launch_report& l);

}  // namespace bankwise
