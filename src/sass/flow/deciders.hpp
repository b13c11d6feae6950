// Which branches decide whether an instruction is executed, and where the paths that start at a branch join again.
//
//     0x00  @P0 BRA 0x30
//     0x10  IADD3 R2, ...         decided by 0x00
//     0x20  @P1 EXIT              decided by 0x00
//     0x30  STS [R2], R0          decided by 0x20; here the paths from 0x00 join, and R2 may have been written on one of them
//
// The analysis uses post-dominators: a branch decides an instruction if one path from the branch always reaches the
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
    places written;  // places written on one of the paths
  };
  std::vector<std::vector<std::uint32_t>> by;  // for each instruction of the section, the branches that decide it
  std::vector<std::vector<meeting>> meetings;  // for each instruction, the branches whose paths join just before it
};

// The deciders of complete code. Nothing if the code is too complex.
std::optional<deciders> deciders_of(const code_flow& code);

}  // namespace bankwise::sass
