// Which branches decide whether an instruction is executed, and where the paths from a branch join again.
//
//     0x00  @P0 BRA 0x30
//     0x10  IADD3 R2, ...         decided by 0x00
//     0x20  @P1 EXIT              decided by 0x00
//     0x30  STS [R2], R0          decided by 0x20; here the paths from 0x00 join, and R2 may have been written on one of them
//
// By post-dominators: a branch decides an instruction that one path from it always reaches and another may miss.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sass/flow/code_flow.hpp"

namespace bankwise::sass {

struct deciders {
  struct meeting {
    std::uint32_t branch = 0;
    places written;  // on one of the ways
  };
  std::vector<std::vector<std::uint32_t>> by;  // by instruction of the section: the branches that decide it
  std::vector<std::vector<meeting>> meetings;  // those whose paths join before it
};

// For complete code. Nothing if the code is too complex.
std::optional<deciders> deciders_of(const code_flow& code);

}  // namespace bankwise::sass
