// Counts for each instruction the clocks that warps wait, by reason.
#pragma once

#include <cstdint>
#include <vector>

#include "timing/instruction_cost.hpp"
#include "timing/stall.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

class stall_counter {
 public:
  // `instructions`: number of instructions of the code. It is 0 if stalls are not counted.
  explicit stall_counter(std::size_t instructions) : counted_(instructions) {}

  bool counts() const { return !counted_.empty(); }
  void add(std::uint32_t code, stall_reason why, double clocks) {
    if (counts()) counted_[code].add(why, clocks);
  }
  // How an instruction was issued.
  struct issue {
    std::uint32_t code = 0;
    stall_reason throttle = stall_reason::math_pipe_throttle;  // stall reason of a warp that waits for the pipe
    double earliest = 0;                                       // time at which the warp could issue if it were alone
    double taken = 0;                                          // time until which the pipe was busy
    double turn = 1;                                           // clocks until the pipe accepts another warp
    bool follows = false;                                      // whether the same warp issued the instruction before
  };
  void add_issue(const issue& i, double at);
  std::vector<stall_clocks> take() { return std::move(counted_); }

 private:
  std::vector<stall_clocks> counted_;
};

// Returns the stall reason of a warp that waits for the result of an instruction. `a` is the access of the instruction,
// or null.
stall_reason waited_for(const instruction_cost& c, const traced_access* a);
// Returns the stall reason of a warp that waits for the pipe of an instruction.
stall_reason throttle_of(const instruction_cost& c, const traced_access* a);

}  // namespace bankwise::timing
