// Races between blocks: blocks access the same words of global memory, and nothing orders the accesses. Either counts
// depend on which block is first, or --check race found the race.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/parts/hazard.hpp"
#include "model/parts/place.hpp"

namespace bankwise {

// Why nothing orders two blocks.
enum class race_cause : std::uint8_t {
  no_order,
  no_fence,      // the first block published its access, but without a fence of the GPU's scope
  narrow_scope,  // a fence or an atomic orders only the threads of its block
};

struct block_race {
  hazard_kind kind = hazard_kind::read_after_write;
  // the two instructions, in the order of their execution in this run; another run may interleave the blocks
  // differently
  code_place first, second;
  // Number of words that the first instruction had accessed before the second instruction accessed them.
  std::uint64_t count = 0;
  // Whether --check race found the race. If not, bankwise found it because counts depend on the order of the blocks, and
  // the members below are not set.
  bool is_checked = false;
  race_cause cause = race_cause::no_order;
  // blockIdx and threadIdx of both accesses of the first word, and the place of this word
  std::array<std::uint32_t, 3> first_block{}, first_thread{}, second_block{}, second_thread{};
  std::string memory;
  std::uint64_t offset = 0;

  friend bool operator==(const block_race&, const block_race&) = default;
};

// Adds the races of another launch to a list. Races between the same two instructions become one row.
void add_races(std::vector<block_race>& to, const std::vector<block_race>& more);

}  // namespace bankwise
