// Checks that an index stays within its row. This matters because the new layout may have a gap between the end of a
// row and the next row.
//
//     tile[0][k], k over more than a row        a doubt: column k of tile may be outside its row: the values are 0 to
//                                               1023, but the size of the row is 32
//     tile[y + 1][x - 32]                       a doubt
//     tile[y][x]                                no doubt
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "source/range/index_range.hpp"
#include "source/reader.hpp"

namespace bankwise::edit {

// Returns the doubt about one index of a use. `dimension` is the number of the index, from 0. `extent` is the number of
// elements in this dimension. `what` is "column" or "row".
std::optional<std::string> doubt_of_index(const source::reader& r, const source::use& u, std::size_t dimension,
                                          std::uint64_t extent, const char* what, std::size_t from,
                                          const source::known_names& names);

// Returns the doubt about the index row * pitch + column of an array without rows. `pitch` is the token of the pitch. A
// row has `columns` elements.
std::optional<std::string> doubt_of_column(const source::reader& r, const source::use& u, std::size_t pitch,
                                           std::uint64_t columns, std::size_t from, const source::known_names& names);

}  // namespace bankwise::edit
