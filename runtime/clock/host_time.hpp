// The host's part of the timeline, for the program's own clocks (--virtual-time): what the clocks of the host show is
// shifted by the costs of the program's calls, without the time for which bankwise computed in these calls.
#pragma once

#include <atomic>

namespace bankwise::cuda {

struct host_time {
  std::atomic<long long> calls{0};   // nanoseconds of the calls on the timeline (program_clock::host)
  std::atomic<long long> inside{0};  // nanoseconds for which threads of the program were in bankwise
  // Nanoseconds to add to a clock of the host. It is negative if bankwise computes for longer than the GPU would.
  long long shift() const { return calls - inside; }
  // The time of the host in nanoseconds. The driver asks for it, because its own clocks are never shifted.
  static long long now();
};
extern host_time the_host_time;  // in the driver, which the runtimes also use

// Tells the library that replaces the program's clocks, if it is loaded, where the shift is.
void offer_host_time();

}  // namespace bankwise::cuda
