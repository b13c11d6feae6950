// Runs a launch on the emulator and makes its report.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"

namespace bankwise {

// How many distinct accesses of a launch are kept, if they are requested.
inline constexpr std::size_t most_accesses = std::size_t{1} << 17;
// The same if layouts are searched for quickly, without a request.
inline constexpr std::size_t most_accesses_to_look = std::size_t{1} << 13;

// The accesses that are kept: those of all blocks, or of the few that a quick search for layouts needs
// (first_blocks.hpp).
enum class traced_blocks : std::uint8_t { all, first };

// What a report contains in addition to the data that the launch requests.
struct report_contents {
  // the limit of distinct accesses to keep; the launch then also has its arrays. 0 keeps none
  std::size_t accesses = 0;
  traced_blocks traced = traced_blocks::all;  // from which blocks
  checks hazards;                             // the kinds that are searched for
};

// From the options of the run. `looks`: keeps accesses for a quick search for layouts, even if the options do not.
report_contents contents_of(const run_options& o, bool looks);

// Runs a launch and makes its report. `hooks`: its listeners also observe the launch, and it gets the progress and the
// kernel's output. Errors come from the emulator.
result<launch_report> profile_launch(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                     const emulate::launch_hooks& hooks = {}, const report_contents& wanted = {});

// Removes the kept accesses from a report.
void forget_accesses(launch_report& l);

}  // namespace bankwise
