// The traffic of asynchronous operations through shared memory. Each kind of operation in a launch has one sum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/launch.hpp"

namespace bankwise {

// The traffic of one kind of operation. Only wgmma has wavefronts here.
struct shared_traffic {
  std::string operation;  // name, for example "tcgen05.mma" or "cp.async.bulk.tensor"
  bool to_shared = false;
  std::uint64_t executed = 0, bytes = 0;
  std::uint64_t byte_passes = 0;    // number of passes of 128 bytes
  std::uint64_t tensor_cycles = 0;  // nominal clocks of the tensor cores of one multiprocessor
};
shared_traffic traffic_of(const site& s);
// Returns the traffic in the order of the code. Omits operations that moved no bytes.
std::vector<shared_traffic> traffic_of(const launch_report& l);
shared_traffic sum_of(const shared_traffic& a, const shared_traffic& b);
shared_traffic sum_of(const std::vector<shared_traffic>& all);

}  // namespace bankwise
