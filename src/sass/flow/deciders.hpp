// Finds the branches that decide whether an instruction is executed, and the places where the paths from a branch join.
//
//     0x00  @P0 BRA 0x30
//     0x10  IADD3 R2, ...         decided by 0x00
//     0x20  @P1 EXIT              decided by 0x00
//     0x30  STS [R2], R0          decided by 0x20; the paths from 0x00 join here, and one may have written R2
//
// The analysis uses post-dominators. A branch decides an instruction if one path from the branch always reaches the
// instruction and another path may miss it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

struct deciders {
  struct meeting {
    std::uint32_t branch = 0;
    places written;  // places that any of the paths writes
  };
  // for each instruction of the section, the branches that decide whether it is executed
  std::vector<std::vector<std::uint32_t>> by;
  std::vector<std::vector<meeting>> meetings;  // for each instruction, the branches whose paths join just before it
};

// Returns nothing if the code is too complex. `flow` must be complete.
std::optional<deciders> deciders_of(const code_flow& code);

}  // namespace bankwise::sass
