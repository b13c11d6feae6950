// Work of a stream in a separate thread, so that it can be paused: a kernel that waits for the host. It runs only while
// a thread that holds the state's lock waits for it, so only one of them runs at any time.
//
//     caller                            the work's thread
//     go_on(): passes the lock on      runs
//                                       wait(): passes the lock back continues the program
//     go_on(): hands the lock over      returns from wait()
#pragma once

#include <functional>
#include <memory>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

class parked_work {
 public:
  // Null if no thread can be created.
  static std::unique_ptr<parked_work> make(state& s, std::function<error()> body);
  // The work must have ended.
  ~parked_work();
  parked_work(const parked_work&) = delete;
  parked_work& operator=(const parked_work&) = delete;

  // Runs it until it waits or ends. The caller holds the lock. True if it has ended and `result` is set.
  bool go_on();
  // Makes the next wait() report that no thread will continue the work.
  void give_up() { given_up_ = true; }
  // Whether it made progress since the last call.
  bool take_changed();

  error result = cudaSuccess;

  // The work whose thread makes this call; null if there is none.
  static parked_work* current();
  // Called by the work: other threads run in the meantime. False if the work must end.
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
