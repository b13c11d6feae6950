// The host's part of the timeline, for the program's own clocks (--virtual-time): what the clocks of the host show is
// shifted by the costs of the program's calls and waits, without the time for which bankwise computed in these calls.
// The program's own work depends on this machine, so it counts for its clocks, but not for events.
#pragma once

#include <algorithm>
#include <atomic>

namespace bankwise::cuda {

struct host_time {
  std::atomic<bool> is_shown{false};  // whether the program's clocks show the timeline
  std::atomic<long long> calls{0};    // nanoseconds of the calls and waits on the timeline (program_clock)
  std::atomic<long long> inside{0};   // nanoseconds for which threads of the program were in bankwise
  std::atomic<long long> begun{0};    // when the thread that is in bankwise now called
  std::atomic<long long> ended{0};    // when the last thread that was in bankwise returned
  std::atomic<long long> first{0};    // when a thread was first let in
  // Nanoseconds for which the program computed itself until the current call, if its clocks show the timeline.
  long long own_work() const { return is_shown ? begun - first - inside : 0; }
  // A thread of the program is let in. Its call has begun earlier, and waited for other threads until they left.
  void enter() {
    begun = std::max(begin_of_call(), ended.load());
    if (first == 0) first = begun.load();
  }
  void leave() {
    ended = now();
    inside += ended - begun;
  }
  // A call of a function of bankwise, also while the thread waits to be let in, or if it need not be let in. The caches
  // have forgotten what the program uses, so that microseconds pass before the program continues.
  class call {
   public:
    call();
    ~call();
    call(const call&) = delete;
    call& operator=(const call&) = delete;

   private:
    long long begun_;  // 0 if the call is in another one, or no clocks show the timeline
  };
  // Nanoseconds to add to a clock of the host. It is negative if bankwise computes for longer than the GPU would.
  long long shift() const { return calls - inside; }
  // The time of the host in nanoseconds. The driver asks for it, because its own clocks are never shifted.
  static long long now();

 private:
  static long long begin_of_call();
};
extern host_time the_host_time;  // in the driver, which the runtimes also use

// Tells the library that replaces the program's clocks, if it is loaded, where the shift is.
void offer_host_time();

}  // namespace bankwise::cuda
