// A text that a page shows later: an LZ4 block, in characters that HTML need not escape. web/src/packed.ts reads it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bankwise {

struct packed_text {
  std::string characters;
  std::size_t packed_bytes = 0, bytes = 0;
};

// Compresses a text. A text over LZ4_MAX_INPUT_SIZE bytes (2 GB) is cut.
packed_text pack(std::string_view text);

// Encodes four bytes as five characters from ( to |. The character } replaces <, which is special in HTML.
// vite.config.ts contains the same encoding.
std::string base85(std::string_view bytes);

}  // namespace bankwise
