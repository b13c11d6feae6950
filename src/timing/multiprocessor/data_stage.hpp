// The way of memory instructions: the queue and the address unit of their quarter, and the data stage, which passes a
// wavefront of shared memory or L1 per clock. All quarters share the data stage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bankwise::timing {

inline constexpr double address_clocks = 2;  // assumed: clocks of the address unit for each register of a load
// assumed: clocks from the end of the queue until the registers have been read
inline constexpr double read_after = 4;

struct memory_queue {
  std::vector<double> leaves;  // times at which the last memory instructions leave the queue
  std::size_t queued = 0;
  double address_free = 0, address_busy = 0;
  double last_begins = 0;  // time at which the data stage accepted the last memory instruction

  // Returns the time until which the queue has no place for a further instruction.
  double taken_until() const { return leaves[queued % leaves.size()]; }
  void leave(double at) { leaves[queued++ % leaves.size()] = at; }
  // Returns the time at which all instructions of the queue have entered the data stage.
  double entered() const { return std::max(address_free, last_begins); }
};

class data_stage {
 public:
  explicit data_stage(bool is_free) : is_free_(is_free) {}

  // Moves an instruction through the queue to the data stage. `interval`: clocks of the address unit. Returns the time
  // at which the instruction enters the data stage.
  double enter(memory_queue& q, double at, double interval, double wavefronts) {
    const double sent = std::max(at, q.address_free);
    q.address_free = sent + interval;
    q.address_busy += interval;
    const double begins = std::max(sent, free_);
    q.last_begins = std::max(q.last_begins, begins);
    pass(begins, wavefronts);
    return begins;
  }
  // Passes wavefronts from the time `at`. Returns the time at which the stage is free again.
  double pass(double at, double wavefronts) {
    const double took = is_free_ ? 0 : wavefronts;
    free_ = std::max(at, free_) + took;
    busy_ += took;
    return free_;
  }
  // Stops the stage until a time.
  void stop(double until) { free_ = std::max(free_, until); }
  // Occupies the stage with data that are written to L1 between accesses.
  void fill(double clocks) {
    if (!is_free_) free_ += clocks;
  }
  // Counts clocks with data that do not delay accesses.
  void count(double clocks) { busy_ += clocks; }
  double busy() const { return busy_; }

 private:
  bool is_free_;
  double free_ = 0, busy_ = 0;
};

}  // namespace bankwise::timing
