// The traffic of asynchronous operations through shared memory, summed up for each kind of operation in a launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/launch.hpp"

namespace bankwise {

// The traffic of one kind of operation. It does not include wavefronts of the load/store unit, except those of wgmma.
struct shared_traffic {
  std::string operation;  // for example tcgen05.mma, cp.async.bulk.tensor
  bool to_shared = false;
  std::uint64_t executed = 0, bytes = 0;
  std::uint64_t byte_passes = 0;    // number of passes of 128 bytes
  std::uint64_t tensor_cycles = 0;  // nominal clocks of the tensor cores of one multiprocessor
};
shared_traffic traffic_of(const site& s);
// In the order of the code. Operations that moved no bytes are omitted.
std::vector<shared_traffic> traffic_of(const launch_report& l);
// The sum. Its operation and direction are those of `a`.
shared_traffic sum_of(const shared_traffic& a, const shared_traffic& b);
shared_traffic sum_of(const std::vector<shared_traffic>& all);

}  // namespace bankwise
