// The barriers of blocks (bar.sync). One unit counts the arrivals of all warps. After a warp has arrived, it continues
// until its first instruction that waits for barriers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/quarter.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/multiprocessor/stall_counter.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

// How the warps of blocks met at a barrier of the code. Times are sums over all meetings.
struct barrier_meetings {
  std::uint32_t code = 0;  // index in launch_trace::code
  std::uint64_t times = 0;
  double waited = 0, longest = 0;               // clocks from a mean arrival, and from the first, to the last
  std::map<std::uint32_t, std::uint64_t> last;  // how often each warp of a block arrived last
};

class barriers {
 public:
  barriers(const multiprocessor_setup& s, quarters& of, stall_counter& stalls)
      : s_(s),
        quarters_(of),
        stalls_(stalls),
        has_arrivals_(std::any_of(s.costs->begin(), s.costs->end(),
                                  [](const instruction_cost& c) { return c.does == behaviour::arrival; })) {}

  // A warp that issues an instruction arrives at the instruction's barrier. `group`: in a changed source, each so many
  // warps have a barrier of their own; 0 if the source is not changed.
  void arrive(const instruction_cost& c, running_warp& w, double at, unsigned group = 0);
  // Opens the barriers of a block for which only warps were missing that have ended.
  void leave(resident_block& b);
  bool were_used() const { return were_used_; }
  // Returns the meetings at each barrier, if stalls are counted.
  std::vector<barrier_meetings> take_meetings();

 private:
  void open(resident_block& b, std::size_t number, const running_warp* issuing);

  const multiprocessor_setup& s_;
  quarters& quarters_;
  stall_counter& stalls_;
  double free_ = 0;  // time from which the unit can count the next arrival
  bool were_used_ = false;
  bool has_arrivals_;  // whether warps arrive at barriers without waiting, for other warps
  std::map<std::uint32_t, barrier_meetings> meetings_;  // by code
};

}  // namespace bankwise::timing
