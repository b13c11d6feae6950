// Messages between bankwise and its library in a program that bankwise runs. Both processes map the same page of a
// file. The program's signal handlers remain unchanged.
//
//     bankwise                                  the library, in a thread of its own
//     control_file: locks the mutex
//                                               attach_control, await_stop: waits for the mutex
//     request_stop: stores a signal, unlocks    stops the current launch, writes the report, ++answered
//     sends the signal to the program           the program continues, and handles the signal
//
// The mutex is in the page, because a program may close all descriptors, or reuse their numbers. If bankwise dies, the
// kernel gives the mutex to a waiting thread.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace bankwise {

inline constexpr const char* control_variable = "BANKWISE_CONTROL";  // environment variable with the name of the file

struct run_control {
  pthread_mutex_t running{};               // held by the thread of bankwise that waits for the program's end
  std::atomic<std::uint32_t> stop{0};      // the signal that ends the run, or 0
  std::atomic<std::uint32_t> attached{0};  // number of running processes that write reports
  // number of these processes that have written their report after the request to stop
  std::atomic<std::uint32_t> answered{0};
  std::atomic<std::uint32_t> passed_on{0};  // whether the signal was sent to the program
  // errno of the last report that could not be written; 0 if all were written
  std::atomic<std::uint32_t> write_error{0};
  std::atomic<std::uint32_t> traces_failed{0};    // whether a trace of a launch could not be written
  std::atomic<std::uint32_t> launched{0};         // number of launches in all processes
  std::atomic<std::uint32_t> reported{0};         // number of launches in the last report
  std::atomic<std::uint32_t> failure_printed{0};  // whether the end of a program's output reports a failure
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// The control file, opened by bankwise.
class control_file {
 public:
  explicit control_file(const std::string& path);
  ~control_file();
  control_file(const control_file&) = delete;
  control_file& operator=(const control_file&) = delete;

  run_control* get() const { return control_; }  // null if the file could not be created
  diagnostic why_not() const;
  void request_stop(int signal);  // must be called in the thread that made this object

 private:
  void release();

  std::string path_;
  int error_ = 0;
  run_control* control_ = nullptr;
  bool holds_ = false;
};

// The control file, opened by the library.
struct attached_control {
  run_control* control = nullptr;
};
attached_control attach_control(const std::string& path);  // if the file does not exist, the result's `control` is null
// Waits until a stop is requested, and returns its signal. Returns 0 if bankwise has ended.
int await_stop(const attached_control& a);

}  // namespace bankwise
