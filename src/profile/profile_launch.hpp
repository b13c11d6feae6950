// A launch, run by the emulator and reported on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"

namespace bankwise {

// Distinct accesses of a launch that are kept, if they are requested.
inline constexpr std::size_t most_accesses = std::size_t{1} << 17;
// The same where layouts are searched for quickly, unasked.
inline constexpr std::size_t most_accesses_to_look = std::size_t{1} << 13;

// Whose accesses are kept: those of all blocks, or of the few that a quick search for layouts needs (first_blocks.hpp).
enum class traced_blocks : std::uint8_t { all, first };

// What a report contains in addition to the data that the launch requests.
struct report_contents {
  std::size_t accesses = 0;  // the most distinct accesses to keep; the launch then also has its arrays. 0 keeps none
  traced_blocks traced = traced_blocks::all;  // from which blocks
  checks hazards;                             // that are searched for
};

// From the options of the run. `looks`: keep accesses for a quick search for layouts, even if the options do not.
report_contents contents_of(const run_options& o, bool looks);

// Runs a launch and reports on it. `hooks`: its listeners also observe the launch, and it gets the progress and the
// kernel's output. Errors are the emulator's.
result<launch_report> profile_launch(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                     const emulate::launch_hooks& hooks = {}, const report_contents& wanted = {});

// As if no accesses had been kept.
void forget_accesses(launch_report& l);

}  // namespace bankwise
