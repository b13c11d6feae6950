// A trace in which some instructions touch fewer sectors than they did. It shows the time of a kernel whose lanes
// access neighbouring elements, or that keeps registers out of local memory.
//
// Each access keeps a part of its sectors, and these sectors fill whole lines:
//
//     recorded: 32 lines with one sector each     factor 1/8: one line with 4 sectors
//
// If accesses touch the same sectors, each of them keeps a different part. A column of a matrix is an example: the
// columns next to it use the rest of the sectors, so the data that the kernel needs stay the same. If the accesses are
// only aligned, all of them keep the first sectors.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

// Copies what a replay of a trace reads, which is much less than the whole trace.
launch_trace replayed_part(const launch_trace& t);

// Which sectors an instruction keeps.
enum class sector_form : std::uint8_t {
  packed,
  aligned,  // as many sectors, in as few lines as possible
  staged,   // packed, and the values are exchanged through shared memory by a store and a load
};
struct sector_change {
  float part = 1;  // of the recorded sectors
  sector_form form = sector_form::packed;
};

class fewer_sectors {
 public:
  explicit fewer_sectors(const launch_trace& t);

  // Changes the accesses of each instruction of which less than all remains. `changes` has one element for each element
  // of launch_trace::code. Accesses without sectors are removed. Returns whether a store was changed.
  bool change(const std::vector<sector_change>& changes);
  void restore();

  const launch_trace& trace() const { return trace_; }

 private:
  struct touched_set {
    double kept = 0;  // sectors that the accesses to this set keep, all in all
    std::uint64_t from = 0;
  };
  void change(traced_access& a, const sector_change& c, touched_set& set);

  launch_trace trace_;
  std::size_t recorded_lines_ = 0;
  std::vector<std::pair<std::uint32_t, traced_access>> recorded_;  // the changed accesses, as they were recorded
};

}  // namespace bankwise::timing
