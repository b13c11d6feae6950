// A copy engine of the device, which makes the copies in one direction, one after the other. It takes the copy that is
// ready first, so a copy of a stream also begins in a gap between the copies of another stream. While the engine of the
// other direction copies, it is slower.
#pragma once

#include <deque>

#include "runtime/clock/operation_log.hpp"

namespace bankwise::cuda {

class copy_engine {
 public:
  struct interval {
    instant begin, end;
  };
  // Returns when a copy is made that is ready at this time and takes so many nanoseconds alone. The interval is busy from
  // now on, and may be changed until the next call. Intervals that have ended at `issued`, the host's time at the call, no
  // longer matter.
  interval& add(const instant& ready, double nanoseconds, double issued, const copy_engine& other);

 private:
  // Returns the nanoseconds of a copy that begins at this time.
  static double time_at(double begin, double nanoseconds, const copy_engine& other);

  std::deque<interval> busy_;  // in the order of their times
  instant full_until_;         // the end of the forgotten intervals that had not ended
};

}  // namespace bankwise::cuda
