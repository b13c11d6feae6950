// The accesses of memory instructions: each traced access passes the queue of its quarter and the data stage, and then
// goes to the memory of its space.
#pragma once

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/bulk_copies.hpp"
#include "timing/multiprocessor/cluster_port.hpp"
#include "timing/multiprocessor/data_stage.hpp"
#include "timing/multiprocessor/mbarriers.hpp"
#include "timing/multiprocessor/memory_system.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

class accesses {
 public:
  accesses(const multiprocessor_setup& s, memory_system& memory, data_stage& stage, mbarriers& of_blocks)
      : s_(s), memory_(memory), stage_(stage), mbarriers_(of_blocks), copies_(s, memory, stage, of_blocks) {}

  // Executes all accesses of the warp's memory instruction, which is issued at `at`.
  execution execute(const instruction_cost& c, running_warp& w, memory_queue& queue, double at);

 private:
  // Times of an instruction, to which each of its accesses adds.
  struct progress {
    double done = 0, leaves = 0;
  };
  void to_device(const instruction_cost& c, const traced_access& a, running_warp& w, double wavefronts, double begins,
                 double earlier, progress& so_far);
  double wavefronts_of(const traced_access& a) const;
  double clocks_of(const traced_access& a, double wavefronts) const;

  const multiprocessor_setup& s_;
  memory_system& memory_;
  data_stage& stage_;
  mbarriers& mbarriers_;
  bulk_copies copies_;
  cluster_port cluster_;
};

}  // namespace bankwise::timing
