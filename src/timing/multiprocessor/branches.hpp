// The clocks of instructions after which a warp does not continue with the next instruction.
#pragma once

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

class branches {
 public:
  explicit branches(const multiprocessor_setup& s) : s_(s) {}

  // Returns when a warp can issue its next instruction. The warp has issued the last instruction `c` of the run `ended`
  // at the time `at`, and has advanced to its next run. `next`: the time that follows from the stall count of `c`.
  double resolved(const running_warp& w, const traced_run& ended, const instruction_cost& c, double next, double at);

 private:
  double supplied(unsigned lanes, double at);

  const multiprocessor_setup& s_;
  double supplied_free_ = 0;  // time at which the driver's functions have ended all calls
};

}  // namespace bankwise::timing
