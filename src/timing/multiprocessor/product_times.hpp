// When the tensor cores of a multiprocessor work, and what the warps that multiply do meanwhile: they wait for copies of
// their operands, or store their sums.
//
//     products   |####|     |####|
//     copies           wait       wait
//     stores                           |------|   the epilogue
#pragma once

#include <vector>

#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

// Clocks of a multiprocessor. No clock belongs to two of them.
struct product_clocks {
  double waiting = 0;   // no product is in the tensor cores, and a warp that multiplies waits for a copy
  double epilogue = 0;  // apart from these clocks: a warp stores its sums, until it multiplies again or ends
};

class product_times {
 public:
  explicit product_times(bool counts) : counts_(counts) {}

  // A warp issues a product, which occupies the tensor cores during `in_pipe`. The result arrives at `done`. Products are
  // added in the order of their issue.
  void multiply(running_warp& w, clock_span in_pipe, double done);
  void end(running_warp& w, double at);
  product_clocks sum() const;

 private:
  void close(running_warp& w, double at);

  bool counts_;
  std::vector<clock_span> products_;  // in order, without overlap
  std::vector<clock_span> waits_, epilogues_;
};

}  // namespace bankwise::timing
