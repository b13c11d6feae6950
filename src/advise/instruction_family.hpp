// Instructions whose addresses differ only by a fixed distance, as in an unrolled loop.
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

// Instructions with more distinct accesses than this are ignored.
inline constexpr std::size_t most_pattern_accesses = 4096;

// A machine instruction and its accesses.
struct patterned_instruction {
  std::size_t number = 0;  // the caller's number for the instruction
  std::uint64_t executed = 0;
  std::vector<recorded_access> accesses;  // sorted by in_order()
};

// Sorts accesses. The order does not depend on the base address of an access.
void in_order(std::vector<recorded_access>& accesses);

// Returns the distance from a to b, or nothing if the distance is not the same for every lane.
std::optional<std::int64_t> distance(const access& a, const access& b);
// Returns the distance between two instructions. Returns nothing if the distance differs between accesses, or if the
// instructions are not executed equally often.
std::optional<std::int64_t> distance(const patterned_instruction& a, const patterned_instruction& b);

// Instructions, each with its distance from the first instruction. All distances are different.
using instruction_family = std::map<std::int64_t, const patterned_instruction*>;
std::vector<instruction_family> families_of(const std::vector<patterned_instruction>& all);

// Returns the family's instructions at the distances `first`, `first` + `step` and so on. Returns an empty list if one
// of them is missing.
std::vector<const patterned_instruction*> in_a_row(const instruction_family& f, std::int64_t first, std::int64_t step,
                                                   std::uint32_t count);

// Whether the address of every lane satisfies a condition.
bool all_addresses(const patterned_instruction& i, const auto& holds) {
  for (const recorded_access& r : i.accesses)
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if ((r.what.mask >> lane & 1) != 0 && !holds(r.what.address[lane])) return false;
  return true;
}

}  // namespace bankwise::advise
