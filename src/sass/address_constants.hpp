// Which words of constant memory the address of an access is made of: the parameters that it may point with.
//
//     ULDC.64 UR4, c[0x0][0x118]            a descriptor: no part of the address
//     LDG.E R5, desc[UR4][R2.64]            what is loaded is no pointer that was passed
//     IMAD.WIDE R6, R5, 0x4, c[0x0][0x168]
//     REDG.E.ADD desc[UR4][R6.64], R8       made of c[0x0][0x168] and c[0x0][0x16c]
#pragma once

#include <optional>
#include <set>

#include "sass/code_flow.hpp"

namespace bankwise::sass {

struct constant_word {
  unsigned bank = 0;
  std::uint64_t offset = 0;  // in bytes
  friend auto operator<=>(const constant_word&, const constant_word&) = default;
};

// Of the memory access at instruction n (of a copy, its source), by whatever arithmetic: too many rather than too few. Nothing: a constant is found by
// an index, or the code is too long. `bytes`: the code that `code` is of.
std::optional<std::set<constant_word>> address_constants(const code_flow& code, byte_span bytes, isa set,
                                                         std::uint32_t n);

}  // namespace bankwise::sass
