// A line on standard error that shows the progress of work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace bankwise {

// A line that is overwritten in place. It is shown only if standard error is a terminal, and if the work takes longer
// than half a second.
class progress_line {
 public:
  explicit progress_line(std::string what);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  // Draws the line, at most ten times per second. You may call it as often as you like.
  void update(std::uint64_t done, std::uint64_t total, std::string_view detail = {});
  // Removes the line, so that other text can be printed.
  void clear();
  double seconds() const;  // seconds since the work began

 private:
  std::string what_;
  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace bankwise
