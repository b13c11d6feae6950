// Messages between bankwise and the library in a program that it runs: a page of a file that both map. No signal
// handler of the program is changed.
//
//     bankwise                                  the library, in a thread of its own
//     open_control: locks the file
//                                               attach_control, await_stop: waits for the lock
//     request_stop: a number, then the lock     stops the launch in flight, writes the report, ++answered
//     the program gets the signal, passed_on lets the program continue, to handle it
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace bankwise {

inline constexpr const char* control_variable = "BANKWISE_CONTROL";  // names the file

struct run_control {
  std::atomic<std::uint32_t> stop{0};         // the signal that ends the run; 0 if there is none
  std::atomic<std::uint32_t> attached{0};     // processes that write reports and have not ended
  std::atomic<std::uint32_t> answered{0};     // how many of them have written the report since then
  std::atomic<std::uint32_t> passed_on{0};    // the program was sent the signal
  std::atomic<std::uint32_t> write_error{0};  // errno of the last report, if it could not be written
  std::atomic<std::uint32_t> launched{0};     // launches of all processes
  std::atomic<std::uint32_t> reported{0};     // how many of these launches were before the last report
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// bankwise's side.
class control_file {
 public:
  explicit control_file(const std::string& path);
  ~control_file();
  control_file(const control_file&) = delete;
  control_file& operator=(const control_file&) = delete;

  run_control* get() const { return control_; }  // null if it could not be made
  diagnostic why_not() const;
  void request_stop(int signal);

 private:
  std::string path_;
  int fd_ = -1, error_ = 0;
  run_control* control_ = nullptr;
};

// The library's side.
struct attached_control {
  run_control* control = nullptr;
  int fd = -1;
};
attached_control attach_control(const std::string& path);  // null if it does not exist
// Returns when a stop is requested, with its signal; or 0 if bankwise no longer exists.
int await_stop(const attached_control& a);

}  // namespace bankwise
