// Predictions of one launch with changes, which are counted because they take time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/time/delay.hpp"
#include "timing/launch/launch_time.hpp"

namespace bankwise {

// What a replay changed. Other replays, of another trace or grid, are known only by the part of the time that remains.
struct replayed_change {
  std::vector<timing::changed_instruction> instructions;
  timing::residency with;
  double part = 1;
};

struct replays {
  timing::changed_launch launch;
  std::uint64_t cycles = 0;  // the elapsed cycles without changes
  timing::read_again again = {};
  std::uint64_t count = 0;
  std::vector<std::pair<std::uint64_t, replayed_change>> made;  // replays with the cycles that they saved
  std::vector<std::pair<delay, replayed_change>> of_delays;     // what the replay of each delay changed

  // Returns the elapsed cycles with the changes.
  std::uint64_t cycles_with(const std::vector<timing::changed_instruction>& changes,
                            const timing::residency& with = {}) {
    if (changes.empty() && with.blocks == 0 && !with.has_code) return cycles;
    const std::uint64_t left = part_of_cycles(launch.part_with(changes, with));
    made.emplace_back(cycles - left, replayed_change{changes, with});
    return left;
  }
  std::uint64_t saved_with(const std::vector<timing::changed_instruction>& changes,
                           const timing::residency& with = {}) {
    return cycles - cycles_with(changes, with);
  }
  std::uint64_t saved_without_fetches() { return saved_with({}, {.has_code = true}); }
  // `t`: another trace of the same blocks.
  std::uint64_t saved_with(const timing::launch_trace& t) { return cycles - part_of_cycles(launch.part_of(t)); }

  // Remembers what the replay changed that found the saving of a delay.
  void keep_change(const delay& d, std::uint64_t saved) {
    replayed_change change;
    change.part = 1 - static_cast<double>(saved) / static_cast<double>(std::max<std::uint64_t>(1, cycles));
    for (auto one = made.rbegin(); one != made.rend(); ++one)
      if (one->first == saved) {
        change = one->second;
        break;
      }
    of_delays.emplace_back(d, std::move(change));
  }

 private:
  std::uint64_t part_of_cycles(double part) {
    ++count;
    return static_cast<std::uint64_t>(static_cast<double>(cycles) * std::clamp(part, 0.0, 1.0));
  }
};

}  // namespace bankwise
