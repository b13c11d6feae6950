// The engine that executes bulk copies and tensor copies. It requests the lines one after another, while the warp
// continues.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/data_stage.hpp"
#include "timing/multiprocessor/mbarriers.hpp"
#include "timing/multiprocessor/memory_system.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

class bulk_copies {
 public:
  bulk_copies(const multiprocessor_setup& s, memory_system& memory, data_stage& stage, mbarriers& tells)
      : s_(s), memory_(memory), stage_(stage), mbarriers_(tells) {}

  // Executes a copy that passes the data stage at the time `at`. Returns the time at which the engine has read shared
  // memory, or has begun to read global memory.
  double copy(const instruction_cost& c, const traced_access& a, running_warp& w, double at);

 private:
  const multiprocessor_setup& s_;
  memory_system& memory_;
  data_stage& stage_;
  mbarriers& mbarriers_;
  std::unordered_map<std::uint32_t, double> tensor_maps_;  // time at which the tensor map of an instruction was read
};

}  // namespace bankwise::timing
