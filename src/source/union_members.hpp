// The arrays that a source declares as members of a union. Such arrays use the same shared memory one after another.
//
//     __shared__ union {                    variable u
//       float tile[32][32];                 member tile
//       float2 pairs[512];                  member pairs
//     } u;
//
// A union with a name may be declared elsewhere: "union Phases { ... };" and "__shared__ Phases u;".
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "source/tokens.hpp"

namespace bankwise::source {

// A member of a union. All numbers are indices of tokens.
struct union_member {
  std::size_t word = 0;                // token __shared__
  std::size_t variable = 0;            // token of the variable, such as u
  std::size_t stop = 0;                // semicolon after the declaration
  std::size_t type = 0, type_end = 0;  // first token of the type, and token after the type
  std::size_t name = 0;
  std::vector<std::pair<std::size_t, std::size_t>> extent;  // first and last token of each extent
};

// Returns the members in the order of the source. Omits members that are not arrays, and unions in other unions.
std::vector<union_member> union_members(const std::vector<token>& tokens);

}  // namespace bankwise::source
