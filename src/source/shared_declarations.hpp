// Finds the shared arrays that a source declares.
//
//     __shared__ float tile[32][33], row[32];      tile at 17, its last extent "33" at 26; row at 31
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::source {

struct shared_declaration {
  std::string name;
  std::size_t statement = 0;       // position of __shared__
  std::size_t begin = 0, end = 0;  // begin and end of the name with its extents
  // Begin and end of the text in the last pair of brackets. Without brackets, they are equal.
  std::size_t last_begin = 0, last_end = 0;
  std::size_t extents = 0;
};

// Returns the arrays in the order of the text. Misses a declaration if parts of it come from macros.
std::vector<shared_declaration> shared_declarations(std::string_view source);

}  // namespace bankwise::source
