// Work of a stream that runs in its own thread, so that it can pause. An example is a kernel that waits for the host.
// Only one of two threads runs at any time: the thread of the work, or the thread that called go_on(). The running
// thread holds the state's lock.
//
//     caller                            the work's thread
//     go_on(): passes the lock          runs
//     continues the program             wait(): passes the lock back
//     go_on(): passes the lock          returns from wait()
#pragma once

#include <functional>
#include <memory>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

class parked_work {
 public:
  // Returns null if no thread can be made.
  static std::unique_ptr<parked_work> make(state& s, std::function<error()> body);
  // Call this only if the work has ended, or if the program is ending.
  ~parked_work();
  parked_work(const parked_work&) = delete;
  parked_work& operator=(const parked_work&) = delete;

  // Runs the work until it waits or ends. The caller holds the lock. If the work has ended, sets `result` and returns
  // true.
  bool go_on();
  // Makes the next wait() return false. Call this for work that nothing will continue.
  void give_up() { given_up_ = true; }
  // Whether the work made progress since the last call.
  bool take_changed();

  error result = cudaSuccess;

  // Returns the work whose thread calls this function. Returns null in other threads.
  static parked_work* current();
  // The work calls this function when it has to wait. Other threads run until the function returns. Returns false if
  // the work must end.
  bool wait(bool changed);

 private:
  struct worker;
  parked_work(state& s, std::function<error()> body, worker* w);

  state& s_;
  std::function<error()> body_;
  worker* worker_;
  bool ended_ = false, given_up_ = false, changed_ = false;
};

}  // namespace bankwise::cuda
