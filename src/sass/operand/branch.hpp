// Branches: their conditions and their targets.
#pragma once

#include <cstdint>

#include "sass/instruction.hpp"

namespace bankwise::sass {

enum class branch_kind : std::uint8_t {
  plain,
  uniform,    // .U: depends on a uniform predicate
  diverged,   // .DIV: branches if some lanes of a mask are on other paths
  converged,  // .CONV: branches if no lanes of a mask are on other paths
};

// The fields of BRA and BRA_U.
struct branch {
  branch_kind kind = branch_kind::plain;
  bool any = false;                         // if one lane branches, all lanes branch
  std::uint8_t predicate = predicate_true;  // for .U: the uniform predicate
  bool predicate_negated = false;
  bool has_lanes = false;                      // .DIV and .CONV name a mask of lanes; on sm_75, they apply to all lanes
  std::uint8_t lanes = uniform_register_zero;  // the uniform register that contains the mask
  bool lanes_inverted = false;                 // the register contains the complement of the mask
};
branch branch_of(const instruction& i);

// The address that a branch, call or BSSY names. For BRX, it is the base to which its register is added. The address is
// relative to the same base as `pc`: if `pc` is a byte offset in the function, the result is the number that nvdisasm
// prints.
std::uint64_t branch_target(const instruction& i, std::uint64_t pc);

}  // namespace bankwise::sass
