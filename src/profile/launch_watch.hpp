// Watches a launch for those who wait for it: a line of progress, and once, after ten seconds, how a sample is run.
#pragma once

#include <cstdint>

#include "base/progress_line.hpp"
#include "emulate/launch.hpp"

namespace bankwise {

class launch_watch {
 public:
  // Nothing is said of a sample where the launch is one, or cannot be one.
  explicit launch_watch(const emulate::launch& l);
  void update(std::uint64_t done, std::uint64_t total);

 private:
  const emulate::launch& launch_;
  progress_line line_;
  bool told_;
};

}  // namespace bankwise
