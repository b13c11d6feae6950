// Parses the loops around an access, in the usual forms.
//
//     ... for i < 4, k < 8                                 after the access
//     ... for k in range(0, 16, 4)
//     for (int k = 0; k < 16; k += 4) ...                  before the access, as in a kernel; several may follow
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/parse/scope.hpp"
#include "source/access_text.hpp"

namespace bankwise::source {

struct cut_loop_text {
  std::vector<loop> loops;
  std::string_view rest;  // the text of the access, without loops
};
// An error shows the text of the loop as the source line.
result<cut_loop_text> cut_loops(std::string_view text, const expr::scope& names);

inline constexpr std::int64_t most_turns = 4096;

}  // namespace bankwise::source
