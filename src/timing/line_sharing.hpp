// How the blocks that run at the same time share the lines that they touch: who of them brings a line from DRAM, and
// who finds it in L2.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "timing/launch_trace.hpp"

namespace bankwise::timing {

class line_sharing {
 public:
  explicit line_sharing(const launch_trace& t);

  struct share {
    double dram = 1;          // of the line's bytes that come from DRAM, this multiprocessor's part
    double blocks = 1;        // that touch it, of the whole turn
    std::uint32_t first = 0;  // when the first of them did, in instructions of its block
    bool is_known = false;
  };
  share of(std::uint64_t line) const;
  // Bytes that the launch writes, about.
  double written_bytes() const { return written_; }
  double touched_bytes() const { return bytes_; }

 private:
  struct counted {
    std::uint32_t blocks = 0, own = 0, first = ~0u;
  };
  std::unordered_map<std::uint64_t, counted> lines_;
  double raise_ = 1;      // blocks of the turn for each that was looked at
  double mean_dram_ = 1;  // of lines that nobody looked at
  double written_ = 0, bytes_ = 0;
};

}  // namespace bankwise::timing
