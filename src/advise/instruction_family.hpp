// Instructions that differ only by a distance, as from an unrolled loop.
//
//     LDS R2, [R8]           lanes at 0, 4, 8 ...        a family: at 0, 128 and 256
//     LDS R3, [R8+0x80]      the same, 128 bytes on
//     LDS R4, [R8+0x100]     and 256
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/report.hpp"

namespace bankwise::advise {

// distinct accesses of an instruction: more are not considered a pattern
inline constexpr std::size_t most_pattern_accesses = 4096;

// One machine instruction with its accesses.
struct patterned_instruction {
  std::size_t number = 0;  // a number for the owner's use
  std::uint64_t executed = 0;
  std::vector<recorded_access> accesses;  // in_order()
};

// Sorts accesses in an order that does not depend on their base address.
void in_order(std::vector<recorded_access>& accesses);

// The distance from a to b, if it is the same in every lane; otherwise nothing.
std::optional<std::int64_t> distance(const access& a, const access& b);
// The distance between two instructions, if it is the same for all accesses and both are executed equally often.
std::optional<std::int64_t> distance(const patterned_instruction& a, const patterned_instruction& b);

// Instructions by their distance from the first one, each distance once, nearest first.
using instruction_family = std::map<std::int64_t, const patterned_instruction*>;
std::vector<instruction_family> families_of(const std::vector<patterned_instruction>& all);

// The given number of instructions of the family from `first` on, `step` bytes apart; empty if some are missing.
std::vector<const patterned_instruction*> in_a_row(const instruction_family& f, std::int64_t first, std::int64_t step,
                                                   std::uint32_t count);

// Whether a condition holds for the address of every lane.
bool all_addresses(const patterned_instruction& i, const auto& holds) {
  for (const recorded_access& r : i.accesses)
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if ((r.what.mask >> lane & 1) != 0 && !holds(r.what.address[lane])) return false;
  return true;
}

}  // namespace bankwise::advise
