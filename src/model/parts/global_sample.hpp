// One access of an instruction to global memory, as an example, and the instructions that touch the same sectors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bankwise/lanes.hpp"

namespace bankwise {

// The bytes that the lanes access. Addresses start at the first line that the access touches. Inactive lanes have
// address 0.
struct global_sample {
  u32 mask = 0;
  u32 sectors = 0, sectors_ideal = 0, tag_requests = 0;
  std::array<std::uint64_t, lanes_per_warp> address{};

  friend bool operator==(const global_sample&, const global_sample&) = default;
};

// Instructions of a warp that touch the same sectors one after another. They are found in the first block that executes
// them.
struct sector_group {
  // pcs of these instructions, including the instruction that has this group; all are in one function and of one kind
  std::vector<std::uint64_t> pcs;
  std::uint32_t sectors = 0;           // sum of the sectors of one access by each instruction
  std::uint32_t distinct_sectors = 0;  // number of distinct sectors in this sum
  friend bool operator==(const sector_group&, const sector_group&) = default;
};

}  // namespace bankwise
