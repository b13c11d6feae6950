// Branches: their conditions and their targets.
#pragma once

#include <cstdint>

#include "sass/instruction.hpp"

namespace bankwise::sass {

enum class branch_kind : std::uint8_t {
  plain,
  uniform,    // .U: branches if a uniform predicate is true
  diverged,   // .DIV: branches if some lanes of a mask are on other paths
  converged,  // .CONV: branches if no lanes of a mask are on other paths
};

struct branch {
  branch_kind kind = branch_kind::plain;
  bool any = false;                         // .ANY: all lanes of the path branch if any lane branches
  std::uint8_t predicate = predicate_true;  // for .U: the uniform predicate
  bool predicate_negated = false;
  // whether the branch has a mask of lanes, as .DIV and .CONV (not on sm_75)
  bool has_lanes = false;
  std::uint8_t lanes = uniform_register_zero;  // the uniform register that contains the mask
  bool lanes_inverted = false;                 // whether the register contains the complement of the mask
};
branch branch_of(const instruction& i);

// Returns the target of a branch, call or BSSY. BRX adds a register to this target. If `pc` is a byte offset in the
// function, the target is also a byte offset.
std::uint64_t branch_target(const instruction& i, std::uint64_t pc);

}  // namespace bankwise::sass
