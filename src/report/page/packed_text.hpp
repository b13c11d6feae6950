// A text that a page shows later: an LZ4 block, in characters that need no escapes in HTML. web/src/packed.ts reads it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bankwise {

struct packed_text {
  std::string characters;
  std::size_t packed_bytes = 0, bytes = 0;
};

// Compresses a text of at most LZ4_MAX_INPUT_SIZE bytes, which is 2 GB; a longer text is cut there.
packed_text pack(std::string_view text);

// Five characters for four bytes, from ( to |, with } instead of <, which has a meaning in HTML. vite.config.ts does
// the same.
std::string base85(std::string_view bytes);

}  // namespace bankwise
