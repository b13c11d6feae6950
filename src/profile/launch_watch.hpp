// Shows the progress of a launch to a user who waits. After ten seconds, also explains how to run only a sample.
#pragma once

#include <cstdint>

#include "base/system/progress_line.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise {

class launch_watch {
 public:
  // The hint is not shown if the launch is a sample, or cannot become one. `number` is the number of the launch in the
  // program, from 1. It is 0 if there is only this launch.
  explicit launch_watch(const emulate::launch& l, std::uint64_t number = 0);
  void update(const emulate::launch_progress& p);

 private:
  const emulate::launch& launch_;
  progress_line line_;
  bool told_;
};

}  // namespace bankwise
