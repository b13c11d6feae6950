// Races between blocks: blocks access the same words of global memory, and nothing orders the accesses. Either counts
// depend on which block is first, or --check race found the race.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parts/hazard.hpp"
#include "model/parts/place.hpp"

namespace bankwise {

// Why nothing orders two blocks.
enum class race_cause : std::uint8_t {
  no_order,
  no_fence,      // the first block published its access, but without a fence of the GPU's scope
  narrow_scope,  // a fence or an atomic orders only the threads of its block
  no_acquire,    // the first block published its write, but the second block reads without an acquire: L1 may have kept
                 // the old value
  no_acquire_unread,  // as before, but no L1 has kept these bytes since before the write: a warning
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
  bool is_warning() const { return cause == race_cause::no_acquire_unread; }

  friend bool operator==(const block_race&, const block_race&) = default;
};

// Returns the name of a cause in the JSON. parse_race_cause() converts it back.
std::string_view name_of(race_cause c);
bool parse_race_cause(std::string_view name, race_cause& c);
// Returns what happened, such as "a block reads what another block writes", and what to do.
std::string title_of(const block_race& r);
std::string hint_of(const block_race& r);
// How a block and thread made an access, such as "block (0,0,0), thread (1,0,0)".
std::string block_and_thread(const std::array<std::uint32_t, 3>& block, const std::array<std::uint32_t, 3>& thread);

// Adds the races of another launch to a list. Races between the same two instructions become one row.
void add_races(std::vector<block_race>& to, const std::vector<block_race>& more);

}  // namespace bankwise
