// The one line of progress on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace bankwise {

// An overprinted line, shown only if standard error is a terminal and the work has taken half a second.
class progress_line {
 public:
  explicit progress_line(std::string what);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  // May be called as often as one likes; draws ten times a second.
  void update(std::uint64_t done, std::uint64_t total, std::string_view detail = {});
  // Removes the line, so that other text can be printed there.
  void clear();
  double seconds() const;  // since the work began

 private:
  std::string what_;
  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace bankwise
