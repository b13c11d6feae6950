// An access with its description: the meaning of a question, and the content of its answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/names/machine_names.hpp"
#include "expr/names/operation_names.hpp"

namespace bankwise {

// The cost of the same access in another warp of the block; on machines with waves of 64 lanes, in a whole wave.
struct warp_share {
  u32 warp = 0, wavefronts = 0;
};

// A loop that a compiler writes around an atomic operation that the hardware does not have.
struct atomic_loop {
  u32 rounds = 0, wavefronts = 0;  // for all rounds
};

// The cost of the same line of a kernel under a condition that the question leaves open.
struct alternative_cost {
  std::string when;       // "the operand is 1 and the result is not used"
  std::string operation;  // "popc.inc.b32"
  u32 wavefronts = 0;
};

struct named_access {
  std::string title;  // the expression, or "32 addresses of FILE", with its padding and swizzle
  named_operation op;
  machine on;
  access what{};
  bool has_source = false;  // for a cp.async: `from` also has its sources
  copy_source from{};
  std::vector<std::string> notes;  // notes for the user in addition to the answer
  std::string unit;                // the unit of the expression; empty for an element or a list of addresses
  u32 warp = 0;                    // the warp of the block, if the answer is about one of several
  std::vector<warp_share> warps;   // costs of all warps in the block; empty if the answer is about all of them
  u32 halves[2] = {};  // for a wave of 64 lanes: wavefronts of each half; `what` is the first half with active lanes
  u32 wave = 0;        // for both halves; 0 if the machine has no such waves
  std::optional<atomic_loop> loop;
  std::vector<alternative_cost> alternatives;
};

}  // namespace bankwise
