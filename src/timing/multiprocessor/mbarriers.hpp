// The mbarriers in shared memory. A warp that tests an mbarrier waits for the arrivals and copies that the mbarrier had
// seen before this test in the trace.
#pragma once

#include <cstdint>

#include "timing/multiprocessor/quarter.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/multiprocessor/stall_counter.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

class mbarriers {
 public:
  mbarriers(const multiprocessor_setup& s, quarters& of, stall_counter& stalls)
      : s_(s), quarters_(of), stalls_(stalls) {}

  // If the warp's next instruction tests an mbarrier, the warp waits for the arrivals before the test.
  void await(running_warp& w);
  // Adds an arrival, or a copy, to the mbarrier at a shared address. The upper 32 bits of `address` are ignored.
  void arrive_at(resident_block& b, std::uint64_t address, double at, bool is_copy = false);
  // Whether the warp is in a loop that tests an mbarrier. The trace has one test in vain of such a loop.
  bool is_in_loop(const running_warp& w) const;

 private:
  void end_wait(running_warp& w);

  const multiprocessor_setup& s_;
  quarters& quarters_;
  stall_counter& stalls_;
};

}  // namespace bankwise::timing
