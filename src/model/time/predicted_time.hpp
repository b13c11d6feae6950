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
  std::string gpu;                                // empty if nothing was predicted
  std::uint64_t cycles = 0;                       // elapsed, as Nsight Compute shows them by default
  std::uint64_t cycles_low = 0, cycles_high = 0;  // nine of ten launches are in this range
  std::uint64_t nanoseconds = 0;                  // at the clock of Nsight Compute's defaults
  // The resource that is used most; if none is used for half of the time, the first of the shares.
  std::string bound;
  // per cent of the cycles that would disappear without this resource, the most first
  resource_percents shares;
  // Per cent of what each resource can do, as on Nsight Compute's speed-of-light page: sm (the higher of issue and
  // pipes), memory (the highest of l1, l2 and dram), issue, pipes, l1, l2, dram.
  resource_percents use;
  std::uint64_t traced_blocks = 0;             // that the prediction follows; the others are assumed to be like them
  bool traced_in_part = false;                 // of some blocks only the first instructions
  std::string caches = "cold";                 // the state of the caches when the launch begins
  std::uint64_t cycles_without_conflicts = 0;  // without all wavefronts that a layout can remove; 0 if there are none
  stall_cycles waits;                          // of all warps, at all instructions
  std::vector<waiting_line> lines;             // the lines where warps wait most, in descending order
  // the GPU's numbers are scaled from those of another GPU with published data
  bool is_assumed = false;
  // with a file of bankwise probe --timing: the parameters that differ from the H100's
  std::vector<std::pair<std::string, double>> parameters;

  explicit operator bool() const { return !gpu.empty(); }
  // Adds a launch that follows this one.
  predicted_time& operator+=(const predicted_time& more);
  predicted_time& operator*=(std::uint64_t launches);
  friend bool operator==(const predicted_time&, const predicted_time&) = default;
};

// Per cent of a resource in the list; 0 if it has none.
unsigned percent_of(const resource_percents& all, std::string_view name);
// Whether one can be divided by the other: they are of the same GPU, with the same state of its caches.
bool are_comparable(const predicted_time& a, const predicted_time& b);

// Converts cycles of the launch to nanoseconds.
std::uint64_t nanoseconds_of(const predicted_time& t, std::uint64_t cycles);

// Why the time of a launch was not predicted, although it was requested.
enum class unpredicted : std::uint8_t {
  none,         // it was predicted, or not requested
  total_limit,  // predictions of the program's other launches used up the time for predictions
  not_traced,   // no block could be traced in the time for a launch
};
std::string_view name_of(unpredicted why);

}  // namespace bankwise
