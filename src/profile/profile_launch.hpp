// Runs a launch on the emulator, and returns its report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

// Limit for the distinct accesses of a launch that are kept if the user asks for accesses.
inline constexpr std::size_t most_accesses = std::size_t{1} << 17;
// Limit for the distinct accesses of a launch that are kept for a quick search for layouts.
inline constexpr std::size_t most_accesses_to_look = std::size_t{1} << 13;

// The blocks whose accesses are kept: all blocks, or the first blocks for a quick search for layouts
// (first_blocks.hpp).
enum class traced_blocks : std::uint8_t { all, first };

// How much of a launch's time is predicted. savings: also what each finding costs, which takes most of the replays.
enum class predicted_part : std::uint8_t { none, time, savings };

// Optional contents of a report, in addition to those that emulate::launch selects, such as predicted times.
struct report_contents {
  // Limit for the distinct accesses that are kept. If it is not 0, the report also contains the launch's arrays.
  std::size_t accesses = 0;
  traced_blocks traced = traced_blocks::all;  // blocks from which accesses are kept
  checks hazards;                             // the kinds of hazards that are searched for
  bool in_program = false;                    // whether the time in a program is predicted too (time_in_program)
  // whether races are searched in the first blocks if no hazards are searched for (race_watch.hpp)
  bool watches_races = true;
  std::uint64_t schedules = 0;  // number of other orders in which the launch is also executed (schedules.hpp)
  // If set, of the time only what `bankwise run --batch` prints is predicted, and the prediction ends early if the launch
  // takes longer than this number of microseconds, which may be infinite. Also adds predicted_time::doubts.
  std::optional<double> only_time = std::nullopt;
  // Called for a launch with recorded blocks after it was counted. Returns what is predicted. If the function is not
  // set, all is predicted.
  std::function<predicted_part(const launch_report&, const timing::launch_trace&)> needs_time;
};

// Returns the contents that the run's options request. `looks`: whether accesses are kept for a quick search for
// layouts.
report_contents contents_of(const run_options& o, bool looks);

// Runs a launch on the emulator and returns its report. The listeners of `hooks` also receive the events. All other
// hooks receive the progress and the kernel's output.
result<launch_report> profile_launch(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                     const emulate::launch_hooks& hooks = {}, const report_contents& wanted = {});

// Predicts the time of a launch that was only counted, and adds it to the report. The memory must be as before the
// launch. Only emulate::launch::memory_is_private permits this.
void add_time_afterwards(launch_report& r, const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                         const emulate::launch_hooks& hooks, const report_contents& wanted,
                         predicted_part part = predicted_part::savings);

void forget_accesses(launch_report& l);

}  // namespace bankwise
