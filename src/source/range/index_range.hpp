// The possible values of an index, if they follow from the source.
//
//     const int r = threadIdx.x + 1;                          r                 1 to 32, in blocks of 32 by 8 threads
//     for (int k = threadIdx.y; k < 1024; k += 8) tile[0][k]  k                 0 to 1023
//     tile[threadIdx.y][j - 32]                               j - 32            -32 to -1, if j counts to 31
//     tile[row(i)][0]                                         row(i)            unknown
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "source/range/value_range.hpp"
#include "source/reader.hpp"

namespace bankwise::source {

// Numbers of threads of a block in x, y and z. 0 if unknown.
using threads_of_block = std::array<std::uint32_t, 3>;

struct known_names {
  threads_of_block block{};
  std::map<std::string, std::int64_t, std::less<>> constants;  // for example, template arguments
};

// Returns the values of the index, which consists of the tokens from `first` to `last`. The enclosing block of code
// begins at token `from`. Returns nothing if the values are unknown.
std::optional<value_range> range_of(const reader& r, token_range index, std::size_t from, const known_names& names);

}  // namespace bankwise::source
