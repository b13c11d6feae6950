// Branches: their conditions and their targets.
#pragma once

#include <cstdint>

#include "sass/instruction.hpp"

namespace bankwise::sass {

enum class branch_kind : std::uint8_t {
  plain,
  uniform,    // .U: branches under a uniform predicate
  diverged,   // .DIV: branches if some lanes of a mask are elsewhere
  converged,  // .CONV: branches if none is elsewhere
};

// The fields of BRA and BRA_U.
struct branch {
  branch_kind kind = branch_kind::plain;
  bool any = false;                         // if one lane branches, all do
  std::uint8_t predicate = predicate_true;  // of .U
  bool predicate_negated = false;
  bool has_lanes = false;                      // .DIV and .CONV name lanes; on sm_75 they mean all
  std::uint8_t lanes = uniform_register_zero;  // the uniform register that contains these lanes
  bool lanes_inverted = false;                 // the register contains the complement of the lanes
};
branch branch_of(const instruction& i);

// The address that a branch, call or BSSY names, counted like `pc`: with byte offsets in the function, the results are
// nvdisasm's numbers. For BRX, the base to which its register is added.
std::uint64_t branch_target(const instruction& i, std::uint64_t pc);

}  // namespace bankwise::sass
