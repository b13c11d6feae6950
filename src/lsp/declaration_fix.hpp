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

// Returns an edit that makes the rows of an array longer. `line` is the line of an access, counted from 1. The edit
// changes the last declaration of the array up to this line. Returns nothing in these cases:
//   - The fix does more than make rows longer.
//   - The declaration is not found, or its extents differ from those in `fix.array`.
//   - The fix needs an alignment that the declaration does not have.
std::optional<source_edit> declaration_fix(std::string_view source, const known_fix& fix, const std::string& kernel,
                                           std::uint32_t line);

}  // namespace bankwise::lsp
