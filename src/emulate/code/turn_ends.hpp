// The instructions before which a warp lets the other warps of its block run, so that warps that leave a barrier
// together stay roughly in step, as on a GPU.
//
//     BAR.SYNC                 all warps continue
//     LDS  R0, [R4]
//     LDS  R1, [R4+0x100]
//     FADD R0, R0, R1
//     STS  [R4], R0            a turn ends here: other warps have not loaded yet
//     LDS  R0, [R4]            a turn ends here: other warps have not stored yet
//     ...
//     LDG  R2, [R6]
//     FADD R2, R2, R0          a turn ends here if the code up to the next barrier both loads and stores: the warp
//                              waits for global memory, and other warps do much in this time
//
// Between two barriers, a turn ends only where an access follows an access of another kind (a load, a store or an
// atomic). Code whose barriers separate its loads from its stores therefore has no such place, and costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bankwise::emulate {

struct decoded_section;

// The places at which turns of a warp end.
enum class turn_places : std::uint8_t { none, once, all };
inline constexpr std::size_t every_turn_places = 3;

struct turn_ends {
  // A place in a loop without a barrier can be passed many times before the next barrier. The other places can be
  // passed only once.
  enum class place : std::uint8_t { none, once, in_loop };
  std::vector<place> at;    // for each instruction
  std::vector<bool> waits;  // for each instruction: whether it waits for a load from global memory
  // for each instruction: the first place at or after it; the number of instructions if there is none
  std::vector<std::uint32_t> next, next_once;

  std::uint32_t first_from(std::size_t instruction, turn_places places) const {
    return (places == turn_places::all ? next : next_once)[instruction];
  }
};

// Sets decoded_section::ends and decoded_section::mixes_accesses. If the code has accesses of one kind between any two
// barriers, warps of a block cannot race on shared memory, except that several warps may store the same word.
void find_turn_ends(decoded_section& section);

}  // namespace bankwise::emulate
