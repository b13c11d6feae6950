// Races between blocks. Blocks that are resident together access the same words of global memory, and counts depend on
// which block is first.
#pragma once

#include <cstdint>
#include <vector>

#include "model/parts/hazard.hpp"
#include "model/parts/place.hpp"

namespace bankwise {

struct block_race {
  hazard_kind kind = hazard_kind::read_after_write;
  // the two instructions, in the order of their execution in this run; another run may interleave the blocks
  // differently
  code_place first, second;
  // Number of words that the first instruction had accessed before the second instruction accessed them.
  std::uint64_t count = 0;

  friend bool operator==(const block_race&, const block_race&) = default;
};

// Adds the races of another launch to a list. Races between the same two instructions become one row.
void add_races(std::vector<block_race>& to, const std::vector<block_race>& more);

}  // namespace bankwise
