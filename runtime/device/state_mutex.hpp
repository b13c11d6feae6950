// The lock of the state. The lock is recursive. A thread can pass it to another thread, which then continues the same
// call. While a thread has the lock, the program waits for bankwise. So this time does not belong to the program
// (clock/host_time.hpp).
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/clock/host_time.hpp"

namespace bankwise::cuda {

class state_mutex {
 public:
  void lock() {
    std::unique_lock guard(mutex_);
    const std::thread::id self = std::this_thread::get_id();
    if (depth_ != 0 && owner_ == self) {
      ++depth_;
      return;
    }
    free_.wait(guard, [&] { return depth_ == 0; });
    owner_ = self;
    depth_ = 1;
    the_host_time.enter();
  }
  void unlock() {
    const std::lock_guard guard(mutex_);
    if (--depth_ != 0) return;
    free_.notify_one();
    the_host_time.leave();
  }
  // Passes the lock to another thread, even if the calling thread has locked it several times.
  void hand_to(std::thread::id next) {
    const std::lock_guard guard(mutex_);
    owner_ = next;
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  std::thread::id owner_;
  unsigned depth_ = 0;
};

}  // namespace bankwise::cuda
