// A text that a page shows later: an LZ4 block, in characters that need no escape in HTML. web/src/packed.ts reads it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bankwise {

struct packed_text {
  std::string characters;
  std::size_t packed_bytes = 0, bytes = 0;
};

// Compresses a text. Cuts off everything after LZ4_MAX_INPUT_SIZE bytes (2 GB).
packed_text pack(std::string_view text);

// Encodes four bytes as five characters from ( to |. Writes } instead of <, because < has a meaning in HTML.
// vite.config.ts has the same encoding.
std::string base85(std::string_view bytes);

}  // namespace bankwise
