// How long a launch takes on a GPU, as the model of src/timing predicts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/time/stall_cycles.hpp"

namespace bankwise {

using resource_percents = std::vector<std::pair<std::string, unsigned>>;

struct predicted_time {
  std::string gpu;                                // empty if no time was predicted
  std::uint64_t cycles = 0;                       // elapsed cycles, as Nsight Compute shows them by default
  std::uint64_t cycles_low = 0, cycles_high = 0;  // for nine of ten launches, the elapsed cycles are in this range
  std::uint64_t nanoseconds = 0;                  // at the clock that Nsight Compute sets by default
  // The resource with the highest use. If no resource is used for half of the time, this is the first of `shares`.
  std::string bound;
  // the percentage of the cycles that would disappear without each resource, the largest first
  resource_percents shares;
  // The use of each resource in percent of its peak, as on Nsight Compute's speed-of-light page. The names are sm (the
  // higher of issue and pipes), memory (the highest of l1, l2 and dram), issue, pipes, l1, l2 and dram.
  resource_percents use;
  // number of blocks whose instructions the prediction follows; other blocks are assumed to be like them
  std::uint64_t traced_blocks = 0;
  bool traced_in_part = false;  // whether only the first instructions of some blocks were traced
  std::string caches = "cold";  // the state of the caches when the launch begins
  // cycles without all wavefronts that a layout can remove; 0 if there are none
  std::uint64_t cycles_without_conflicts = 0;
  stall_cycles waits;               // for all warps, at all instructions
  std::vector<waiting_line> lines;  // the lines at which warps wait most, in descending order
  // whether the GPU's parameters are scaled from those of another GPU by published data
  bool is_assumed = false;
  // for a file of bankwise probe --timing: the parameters that differ from those of the H100
  std::vector<std::pair<std::string, double>> parameters;

  explicit operator bool() const { return !gpu.empty(); }
  // Adds the time of a launch that follows this one.
  predicted_time& operator+=(const predicted_time& more);
  predicted_time& operator*=(std::uint64_t launches);
  friend bool operator==(const predicted_time&, const predicted_time&) = default;
};

// The percentage for a resource in the list. 0 if the list does not contain it.
unsigned percent_of(const resource_percents& all, std::string_view name);
// Whether the ratio of two times has a meaning: both are for the same GPU and the same state of its caches.
bool are_comparable(const predicted_time& a, const predicted_time& b);

// Converts cycles of the predicted launch to nanoseconds.
std::uint64_t nanoseconds_of(const predicted_time& t, std::uint64_t cycles);

// Why the time of a launch was not predicted although it was requested.
enum class unpredicted : std::uint8_t {
  none,         // the time was predicted, or not requested
  total_limit,  // the predictions for other launches of the program used up the time for predictions
  not_traced,   // no block could be traced in the time for one launch
};
std::string_view name_of(unpredicted why);

}  // namespace bankwise
