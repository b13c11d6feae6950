// Branches: under which conditions, and where to.
#pragma once

#include <cstdint>

#include "sass/instruction.hpp"

namespace bankwise::sass {

enum class branch_kind : std::uint8_t {
  plain,
  uniform,    // .U: under a uniform predicate
  diverged,   // .DIV: if lanes of a mask are elsewhere
  converged,  // .CONV: if there is none
};

// For BRA and BRA_U.
struct branch {
  branch_kind kind = branch_kind::plain;
  bool any = false;                         // one lane takes the whole path along
  std::uint8_t predicate = predicate_true;  // of .U
  bool predicate_negated = false;
  bool has_lanes = false;                      // .DIV and .CONV name lanes; on sm_75 they mean all
  std::uint8_t lanes = uniform_register_zero;  // the uniform register that has them
  bool lanes_inverted = false;                 // it has conditions that do not count
};
branch branch_of(const instruction& i);

// The address that a branch, call or BSSY names, in the same coordinates as `pc`: the byte offset in the function gives
// nvdisasm's numbers. For BRX: the base to which its register is added.
std::uint64_t branch_target(const instruction& i, std::uint64_t pc);

}  // namespace bankwise::sass
