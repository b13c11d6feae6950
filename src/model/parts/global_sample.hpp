// One access of an instruction to global memory, and the instructions that touch the same sectors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bankwise/lanes.hpp"

namespace bankwise {

// Which bytes the lanes access, from the beginning of the first line; 0 for inactive lanes.
struct global_sample {
  u32 mask = 0;
  u32 sectors = 0, sectors_ideal = 0, tag_requests = 0;
  std::array<std::uint64_t, lanes_per_warp> address{};

  friend bool operator==(const global_sample&, const global_sample&) = default;
};

// Instructions with which a warp touches the same sectors one after the other, as in the first block that executes
// them.
struct sector_group {
  std::vector<std::uint64_t> pcs;      // instructions of the same function and kind, including this one
  std::uint32_t sectors = 0;           // sum over one access by each of them
  std::uint32_t distinct_sectors = 0;  // each counted once
  friend bool operator==(const sector_group&, const sector_group&) = default;
};

}  // namespace bankwise
