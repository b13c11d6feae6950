// Predictions of one launch with changes, which are counted because they take time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "timing/launch/launch_time.hpp"

namespace bankwise {

struct replays {
  timing::changed_launch launch;
  std::uint64_t cycles = 0;  // the elapsed cycles without changes
  timing::read_again again = {};
  std::uint64_t count = 0;

  // Returns the elapsed cycles with the changes.
  std::uint64_t cycles_with(const std::vector<timing::changed_instruction>& changes,
                            const timing::residency& with = {}) {
    if (changes.empty() && with.blocks == 0) return cycles;
    return part_of_cycles(launch.part_with(changes, with));
  }
  std::uint64_t saved_with(const std::vector<timing::changed_instruction>& changes,
                           const timing::residency& with = {}) {
    return cycles - cycles_with(changes, with);
  }
  std::uint64_t saved_without_fetches() { return cycles - part_of_cycles(launch.part_without_fetches()); }
  // `t`: another trace of the same blocks.
  std::uint64_t saved_with(const timing::launch_trace& t) { return cycles - part_of_cycles(launch.part_of(t)); }

 private:
  std::uint64_t part_of_cycles(double part) {
    ++count;
    return static_cast<std::uint64_t>(static_cast<double>(cycles) * std::clamp(part, 0.0, 1.0));
  }
};

}  // namespace bankwise
