// The changes that save a program the most time, and what they save together.
//
//     gemm.cu:31      saves 41.2 us of 104 us      1st of its launch
//     gemm.cu:18      saves 20.3 us                2nd of its launch     together: 104 us -> 48.1 us, by one replay
#pragma once

#include <cstdint>
#include <vector>

#include "findings/finding.hpp"

namespace bankwise::findings {

struct best_changes {
  std::vector<finding_in> list;                          // at most three, the largest saving first
  std::uint64_t nanoseconds = 0, nanoseconds_after = 0;  // of all launches, one after another

  // Whether there are several, and a replay with all of them.
  explicit operator bool() const { return list.size() > 1 && nanoseconds_after != 0; }
};
best_changes best_of(const std::vector<added_launches>& launches);
best_changes best_of(const launch_report& l);

}  // namespace bankwise::findings
