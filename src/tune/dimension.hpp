// A dimension of a space of configurations: a name, and the values that it takes.
//
//     TILE=16,32,64      a list                 STAGES=2..4      2, 3, 4
//     TILE=8..64:*2      8, 16, 32, 64          K=0..32:+8       0, 8, 16, 24, 32
//     TYPE=float,half    words
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise::tune {

inline constexpr std::size_t most_values = 10'000;           // of a dimension
inline constexpr std::size_t most_configurations = 100'000;  // of a space

struct dimension {
  std::string name;
  std::vector<std::string> values;
};

// Reads NAME=VALUES. Errors point into the text, and call it `what`, such as "-D".
result<dimension> parse_dimension(std::string_view text, std::string_view what);

// Whether the name can be that of a macro of the compiler and of a variable of the environment.
bool is_dimension_name(std::string_view name);

}  // namespace bankwise::tune
