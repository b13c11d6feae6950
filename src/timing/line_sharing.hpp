// How simultaneous blocks share the lines that they access: which of them reads a line from DRAM, and which find it in
// L2.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "timing/launch_trace.hpp"

namespace bankwise::timing {

class line_sharing {
 public:
  explicit line_sharing(const launch_trace& t);

  struct share {
    double dram = 1;          // the part of the line's bytes that comes from DRAM, for this multiprocessor
    double blocks = 1;        // that touch it, of the whole turn
    std::uint32_t first = 0;  // when the first access was, in instructions of its block
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
  double raise_ = 1;      // blocks of the turn for each sampled one
  double mean_dram_ = 1;  // for lines that were not sampled
  double written_ = 0, bytes_ = 0;
};

}  // namespace bankwise::timing
