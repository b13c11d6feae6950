// The arrays that use one piece of shared memory in turn, as a source declares them.
//
//     __shared__ union {                    variable u
//       float tile[32][32];                 member tile
//       float2 pairs[512];                  member pairs
//     } u;
//
// The union may have a name and be declared elsewhere: "union Phases { ... };" and "__shared__ Phases u;".
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "source/tokens.hpp"

namespace bankwise::source {

// All are tokens.
struct union_member {
  std::size_t word = 0;                // __shared__
  std::size_t variable = 0;            // u
  std::size_t stop = 0;                // the semicolon after it
  std::size_t type = 0, type_end = 0;  // first token of the type, and the token after its last one
  std::size_t name = 0;
  std::vector<std::pair<std::size_t, std::size_t>> extent;  // first and last token of each extent
};

// In the order of the source. Members that are not arrays, and unions inside other unions, are omitted.
std::vector<union_member> union_members(const std::vector<token>& tokens);

}  // namespace bankwise::source
