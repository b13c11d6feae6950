// An access with its description, which is the parsed form of a question. It contains everything that the answer shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/names/machine_names.hpp"
#include "expr/names/operation_names.hpp"

namespace bankwise {

// The cost of the same access in another warp of the block. On machines with waves of 64 lanes, this is the cost of
// another wave.
struct warp_share {
  u32 warp = 0, wavefronts = 0;
};

// A compiler-generated loop for an atomic operation that the hardware does not have.
struct atomic_loop {
  u32 rounds = 0, wavefronts = 0;  // number of rounds, and wavefronts summed over all rounds
};

// The cost of the same line under a condition that the question leaves open.
struct alternative_cost {
  std::string when;       // the condition, for example "the operand is 1 and the result is not used"
  std::string operation;  // operation under this condition, for example "popc.inc.b32"
  u32 wavefronts = 0;
};

struct named_access {
  std::string title;  // title of the access: the expression, or "32 addresses of FILE", with padding and swizzle
  named_operation op;
  machine on;
  access what{};
  bool has_source = false;  // whether `from` contains the source addresses of a cp.async
  copy_source from{};
  std::vector<std::string> notes;  // additional notes for the user
  std::string unit;                // unit of the expression; empty if the question is an element or a list of addresses
  u32 warp = 0;                    // number of the warp, if the block has several warps
  std::vector<warp_share> warps;   // costs of all warps in the block; empty if all costs are equal
  u32 halves[2] = {};              // wavefronts of each half of a wave; `what` is the first half with active lanes
  u32 wave = 0;                    // wavefronts of the whole wave; 0 if the machine has no waves of 64 lanes
  std::optional<atomic_loop> loop;
  std::vector<alternative_cost> alternatives;
};

}  // namespace bankwise
