// Splits an access to an array into its parts. The access is written as users write it.
//
//     load * 4: ld.b64 tile[i][t] where t < 16 for i < 8
//     |      |  |      |          |            |
//     name   |  op     expression where        loops
//            weight
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise::source {

struct loop {
  std::string name;
  std::int64_t begin = 0, step = 1, count = 0;  // first value, step and number of values of the loop variable
  std::string text = {};                        // text of the loop, such as "i < 4"
};

struct access_text {
  std::string whole, name, op, expression, where;
  std::uint64_t weight = 1;
  std::vector<loop> loops;
};

// Loops may follow the access, as in `for i < 4, k in range(0, 16, 4)`. They may also precede the access, as in `for
// (int k = 0; k < 16; k += 4)`. `names` contains the constants that weights and loop bounds may use.
result<access_text> cut_access(const std::string& text, const expr::scope& names);

// Makes an error about a part of the access. The error shows the whole access. An empty part means the whole access.
diagnostic error_in(const access_text& a, std::string_view part, std::string message, std::string hint);
// Moves a diagnostic about a part of the access to the position of this part in the whole access.
diagnostic moved_to(const access_text& a, const std::string& part, diagnostic d);

}  // namespace bankwise::source
