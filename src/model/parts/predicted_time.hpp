// How long a launch takes on a GPU, as the model of src/timing predicts it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bankwise {

struct predicted_time {
  std::string gpu;                                // empty: nothing was predicted
  std::uint64_t cycles = 0;                       // elapsed, as Nsight Compute has them under its defaults
  std::uint64_t cycles_low = 0, cycles_high = 0;  // three of four launches are in this range
  std::uint64_t nanoseconds = 0;                  // at the clock of Nsight Compute's defaults
  std::string bound;                              // the first of the shares
  std::vector<std::pair<std::string, unsigned>>
      shares;                   // percent of the cycles that go without this resource, the most first
  std::string caches = "cold";  // when the launch begins

  explicit operator bool() const { return !gpu.empty(); }
  friend bool operator==(const predicted_time&, const predicted_time&) = default;
};

}  // namespace bankwise
