// The time of a launch on a GPU. The model of src/timing predicts it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/time/delay.hpp"
#include "model/time/stall_cycles.hpp"

namespace bankwise {

using resource_percents = std::vector<std::pair<std::string, unsigned>>;

// The time of a launch in a program: at the boost clock, in nanoseconds, with the data of the launch in DRAM or in L2.
struct time_in_program {
  double cold = 0, warm = 0;
  double use = 1;    // use of the busiest resource, as part of its peak
  double waves = 1;  // how often its blocks fill the multiprocessors
  // With programmatic dependent launch: from the last trigger to the end, and from the begin of a block to its wait for
  // the launch before. 0: there is none.
  double after_trigger = 0, until_wait = 0;
  double dram_bytes = 0;     // bytes that DRAM moves if the launch begins with cold caches
  double touched_bytes = 0;  // bytes that pass through L2, each counted once
  // whether the time is not predicted: it is a lower bound, or scaled from another launch of the kernel
  bool is_lower_bound = false;
  friend bool operator==(const time_in_program&, const time_in_program&) = default;
};

// What a launch needs at least: its bytes of global memory, each counted once, and its arithmetic.
struct needed_work {
  std::uint64_t cycles = 0;  // elapsed cycles of a launch that does only this; 0 if they are not known
  std::uint64_t read_bytes = 0, written_bytes = 0;
  bool is_estimated = false;   // whether the bytes are an estimate, because only some blocks were recorded
  bool is_arithmetic = false;  // whether the arithmetic takes longer than the bytes
  explicit operator bool() const { return cycles != 0; }
  friend bool operator==(const needed_work&, const needed_work&) = default;
};

struct predicted_time {
  std::string gpu;                                // name of the GPU; empty if no time was predicted
  std::uint64_t cycles = 0;                       // elapsed cycles, as Nsight Compute shows them by default
  std::uint64_t cycles_low = 0, cycles_high = 0;  // in nine of ten cases, the measured cycles are in this range
  std::uint64_t nanoseconds = 0;                  // time at the clock that Nsight Compute sets by default
  // The resource with the highest use. If no resource is busy for half of the time, it is the first resource of
  // `shares`.
  std::string bound;
  // for each resource: the percentage of cycles that the launch would save if the resource were free; largest first
  resource_percents shares;
  // The use of each resource in percent of its peak, as on Nsight Compute's speed-of-light page. The names are sm,
  // memory, issue, pipes, l1, l2 and dram. sm is the higher of issue and pipes, and memory is the highest of l1, l2
  // and dram.
  resource_percents use;
  needed_work needed;
  // The percentages of product_parts.def, in their order. Empty if the launch does not multiply what it copies.
  resource_percents products;
  // number of blocks whose instructions were traced; all other blocks are assumed to be similar
  std::uint64_t traced_blocks = 0;
  bool traced_in_part = false;  // whether the trace of some blocks contains only their first instructions
  std::string caches = "cold";  // the state of the caches when the launch begins
  // elapsed cycles without the wavefronts that a layout can remove; 0 if no wavefronts can be removed
  std::uint64_t cycles_without_conflicts = 0;
  // elapsed cycles after the two changes, and after the three changes, that save the most, in one replay; 0 if there
  // are not so many
  std::array<std::uint64_t, 2> cycles_with_best{};
  std::uint64_t resident_blocks = 0,
                multiprocessors = 0;  // blocks on a multiprocessor at a time; of the GPU. 0: unknown
  unsigned occupancy = 0;           // warps of the resident blocks, in percent of those that fit; 0 if it is not known
  std::string limited_by;           // what limits the resident blocks, such as "registers"
  stall_cycles waits;               // stalls of all warps at all instructions
  std::vector<waiting_line> lines;  // the lines at which warps wait longest, in the order of the waiting time
  std::vector<barrier_wait> barriers;  // barriers of blocks, in the order of the time that warps wait there
  std::vector<delay> delays;           // what else delays the launch; the largest saving is first
  // whether the GPU's parameters were scaled from those of another GPU, by published data
  bool is_assumed = false;
  // How many of the model's parameters that matter for the bound were measured on this GPU or on one with its
  // architecture, and how many were scaled. Both numbers are 0 if the GPU was measured, or if `parameters` is not empty.
  unsigned published_parameters = 0, assumed_parameters = 0;
  std::optional<time_in_program> in_program;  // not stored in reports; of one launch, so a sum does not have it
  // Not stored in reports: whether the launch takes longer than an asked limit, which is then the time; and why a choice
  // should not depend on this time (trusted_time.hpp)
  bool is_above_limit = false;
  std::vector<std::string> doubts;
  // the parameters that differ from those of the H100, if a file of bankwise probe --timing contained them
  std::vector<std::pair<std::string, double>> parameters;

  explicit operator bool() const { return !gpu.empty(); }
  // Adds the time of a launch that runs after this launch.
  predicted_time& operator+=(const predicted_time& more);
  predicted_time& operator*=(std::uint64_t launches);
  friend bool operator==(const predicted_time&, const predicted_time&) = default;
};

// Returns how often the GPU is filled with blocks: the blocks of a grid, divided by those that it executes at a time.
// Returns 0 if it is not known.
double waves_of(const predicted_time& t, std::uint64_t blocks);

// Returns the percentage of a resource in the list, or 0 if the list does not contain the resource.
unsigned percent_of(const resource_percents& all, std::string_view name);
// Returns the part of the time for which the busiest resource is idle, or 1 if the use of the resources is not known.
double idle_part(const predicted_time& t);
// The same for some resources, which are separated by blanks.
double idle_part(const predicted_time& t, std::string_view resources);
// Returns the distance to the floor, as a part of the time. The floor is the time that the needed bytes and arithmetic
// take. If it is not known, it is the time for which the busiest resource is busy.
double above_floor(const predicted_time& t);
// A change by a smaller part of a predicted time counts as no change.
inline constexpr double least_change = 0.01;
constexpr bool is_clearly_slower(std::uint64_t cycles_before, std::uint64_t cycles_after) {
  return static_cast<double>(cycles_after) > static_cast<double>(cycles_before) * (1 + least_change);
}
// Whether the ratio of two times has a meaning. The times must be for the same GPU, and the caches must begin in the
// same state.
bool are_comparable(const predicted_time& a, const predicted_time& b);

// Converts cycles of the predicted launch to nanoseconds.
std::uint64_t nanoseconds_of(const predicted_time& t, std::uint64_t cycles);

// Why the requested time of a launch was not predicted.
enum class unpredicted : std::uint8_t {
  none,         // the time was predicted, or not requested
  total_limit,  // the predictions for earlier launches used up the program's time for predictions
  not_traced,   // no block could be traced within the time limit for one launch
  // The launch did not execute the blocks that a prediction needs, and bankwise could not execute them without a change
  // that the program sees.
  not_executed,
  // The launch did other work than the launches of its kernel that were predicted, and none of its blocks was recorded.
  other_work,
};
std::string_view name_of(unpredicted why);

}  // namespace bankwise
