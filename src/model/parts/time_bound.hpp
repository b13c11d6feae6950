// The least time that a launch takes, in clocks of one multiprocessor.
#pragma once

#include <cstdint>

#include "model/launch.hpp"

namespace bankwise {

// The time of one multiprocessor if nothing else limits it: its shared pipe passes a wavefront a clock, and its four
// schedulers issue a warp instruction each.
struct time_bound {
  std::uint64_t shared_cycles = 0;  // without those in which wgmma multiplies and reads nothing
  std::uint64_t issue_cycles = 0;
  std::uint64_t shared_cycles_reachable = 0;  // with every wavefront gone that a layout can remove
  std::uint64_t tensor_cycles = 0;            // of the tensor cores, for wgmma alone
  bool by_data = false;                       // the data cause some of what is removable: no layout removes it
};
time_bound bound_of(const launch_report& l);

}  // namespace bankwise
