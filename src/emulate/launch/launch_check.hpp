// Checks a launch: limits of the hardware and the driver, and unsupported features.
#pragma once

#include <cstdint>

#include "cubin/launch_limits.hpp"
#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// Always sets `kind`, even if there is no error.
result<done> check(const launch& l, fault_kind& kind);

// Describes the limit that the launch exceeds.
diagnostic describe_beyond(cubin::launch_limit beyond, const launch& l, const cubin::launch_limits& most);

inline std::uint64_t blocks_of(const launch& l) { return std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2]; }
// A cooperative launch is never a sample, because its blocks wait for each other.
inline bool is_sample(const launch& l) { return !l.cooperative && l.most_blocks != 0 && l.most_blocks < blocks_of(l); }
// The number of blocks that the GPU runs at the same time. The launch must have passed check().
std::uint64_t resident_blocks(const launch& l);

}  // namespace bankwise::emulate
