// A launch, run by the emulator and reported on.
#pragma once

#include <cstdint>
#include <functional>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"

namespace bankwise {

// Distinct accesses of a launch that are kept, where they are asked for.
inline constexpr std::size_t most_accesses = std::size_t{1} << 17;
// The same where layouts are searched for quickly, unasked.
inline constexpr std::size_t most_accesses_to_look = std::size_t{1} << 13;

// Whose accesses are kept: those of all blocks, or of as few as a quick look for a layout needs (first_blocks.hpp).
enum class traced_blocks : std::uint8_t { all, first };

// Runs a launch and reports on it. With `keep_accesses`, every site has its distinct accesses, up to this number in
// all, and the launch its arrays; `traced`: from which blocks. With `counts_global`, accesses to global memory are
// counted, unless launch::counting skips them. `also`: only its sinks for the kernel's output are used. `wanted`: also
// look for hazards. Errors are the emulator's.
result<launch_report> profile_launch(const emulate::launch& l, emulate::device_memory& memory, const machine& on,
                                     const std::function<void(const emulate::launch_progress&)>& progress,
                                     std::size_t keep_accesses = 0, const emulate::launch_hooks& also = {},
                                     const checks& wanted = {}, traced_blocks traced = traced_blocks::all,
                                     bool counts_global = false);

// As if none had been kept.
void forget_accesses(launch_report& l);

}  // namespace bankwise
