// Constant bank 0, where the driver stores facts about a launch: extents, windows, parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// Whether the constant bank of code for sm_<number> has a known position for the workspace of a cooperative launch.
bool has_grid_workspace(std::uint32_t sm);

// `local_bytes`: bytes of local memory of one thread. `grid_workspace`, `constants`: device addresses. 0 if there is no
// such memory.
std::vector<std::byte> launch_constants(const launch& l, std::uint32_t local_bytes, std::uint64_t grid_workspace,
                                        std::uint64_t constants);

}  // namespace bankwise::emulate
