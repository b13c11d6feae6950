// Instructions that differ only by a distance, as in an unrolled loop.
//
//     LDS R2, [R8]           lanes at 0, 4, 8 ...            a family: at 0, 128 and 256
//     LDS R3, [R8+0x80]      lanes at 128, 132, 136 ...
//     LDS R4, [R8+0x100]     lanes at 256, 260, 264 ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/report.hpp"

namespace bankwise::advise {

// Limit of distinct accesses of an instruction. An instruction with more accesses has no pattern.
inline constexpr std::size_t most_pattern_accesses = 4096;

// A machine instruction and its accesses.
struct patterned_instruction {
  std::size_t number = 0;  // number by which the caller identifies the instruction
  std::uint64_t executed = 0;
  std::vector<recorded_access> accesses;  // sorted by in_order()
};

// Sorts accesses in an order that does not depend on their base address.
void in_order(std::vector<recorded_access>& accesses);

// The distance from a to b, if it is the same for every lane. Otherwise nothing.
std::optional<std::int64_t> distance(const access& a, const access& b);
// The distance between two instructions. Nothing if it differs between accesses, or if the instructions are not
// executed equally often.
std::optional<std::int64_t> distance(const patterned_instruction& a, const patterned_instruction& b);

// Instructions by their distance from the first one, nearest first. Each distance occurs once.
using instruction_family = std::map<std::int64_t, const patterned_instruction*>;
std::vector<instruction_family> families_of(const std::vector<patterned_instruction>& all);

// Instructions of the family from the distance `first` on, `step` bytes apart. Empty if some of them are missing.
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
