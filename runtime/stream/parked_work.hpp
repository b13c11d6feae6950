// Work of a stream in a thread of its own, so that it can be left in the middle: a kernel that waits for the host. It
// runs only while a thread that holds the state's lock waits for it, so that never more than one of them does.
//
//     caller                            the work's thread
//     go_on(): hands the lock over      runs
//                                       wait(): hands the lock back
//     goes on with the program
//     go_on(): hands the lock over      returns from wait()
#pragma once

#include <functional>
#include <memory>

#include "runtime/device/cuda_abi.hpp"

namespace bankwise::cuda {

struct state;

class parked_work {
 public:
  // Null: no thread can be had.
  static std::unique_ptr<parked_work> make(state& s, std::function<error()> body);
  // It must have ended.
  ~parked_work();
  parked_work(const parked_work&) = delete;
  parked_work& operator=(const parked_work&) = delete;

  // Runs it until it waits or ends. The lock is held. True if it has ended and `result` is set.
  bool go_on();
  // The next wait() says that nobody will go on with it.
  void give_up() { given_up_ = true; }
  // Whether it did something since the last time that this was asked.
  bool take_changed();

  error result = cudaSuccess;

  // The work in whose thread this is called; null: none.
  static parked_work* current();
  // Called by the work: others go on meanwhile. False: it is to end.
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
