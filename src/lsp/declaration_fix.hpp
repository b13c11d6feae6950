// Edits a source so that an array gets the layout that a report recommends. The edit changes only the declaration.
//
//     __shared__ float tile[side][side];      "float tile[32][33]" is best      tile[side][side + 1]
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/report.hpp"

namespace bankwise::lsp {

struct source_edit {
  std::size_t begin = 0, end = 0;  // range of the text that is replaced, in bytes
  std::string by;
  std::string title;  // new declarator, such as "tile[side][side + 1]"
};

// Returns nothing in three cases: the layout changes the indices of the array, the declaration is not found, or the
// declared size differs. `line` is the line of an access, counted from 1. The edit changes the last declaration before
// this line.
std::optional<source_edit> declaration_fix(std::string_view source, const known_fix& fix, const std::string& kernel,
                                           std::uint32_t line);

}  // namespace bankwise::lsp
