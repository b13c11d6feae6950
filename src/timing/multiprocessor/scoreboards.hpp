// The six scoreboards of a warp. A scoreboard tracks results, and reads of source registers, that are under way. An
// instruction waits for the scoreboards in its wait mask.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/stall.hpp"

namespace bankwise::timing {

struct pending_result {
  double done = 0;
  stall_reason waits = stall_reason::short_scoreboard;  // stall reason of a warp that waits for the result
  bool is_copy = false;                                 // whether all copies of the warp to shared memory have arrived
};

class scoreboards {
 public:
  static constexpr unsigned number = 6;

  // Adds a result to the scoreboard that an instruction names. Other numbers mean that no scoreboard tracks the result.
  void add(unsigned scoreboard, pending_result r) {
    if (scoreboard < number) under_way_[scoreboard].push_back(r);
  }
  // Returns the last result of the scoreboards in a mask, and removes their results.
  pending_result drained(std::uint8_t mask) { return mask == 0 ? pending_result{} : drained_of(mask); }
  // Returns the result after which at most `remaining` results of a scoreboard are under way. Removes the results until
  // this one.
  pending_result drained_to(unsigned scoreboard, std::size_t remaining);

 private:
  pending_result drained_of(std::uint8_t mask);

  std::array<std::vector<pending_result>, number> under_way_;
};

inline pending_result later(const pending_result& a, const pending_result& b) { return b.done > a.done ? b : a; }

}  // namespace bankwise::timing
