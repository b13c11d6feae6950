// A source in C++ cut into words and marks, each with its place, so that an edit changes exactly the intended text.
//
//     tile[ty][tx + 1] = 0.f;  // tile        tile  [  ty  ]  [  tx  +  1  ]  =  0.f  ;        no tokens for comments
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bankwise::source {

struct token {
  enum class kind : std::uint8_t { word, number, text, mark } is = kind::mark;
  std::string_view spelled;
  std::size_t at = 0;  // of its first byte in the source
  std::uint32_t line = 1;
  bool of_directive = false;  // on a line that # begins, or one that continues it

  std::size_t end() const { return at + spelled.size(); }
};

// The source must outlive the tokens. Whatever it contains, each run of bytes that is not a blank or a comment has a
// token.
std::vector<token> tokens_of(std::string_view source);

// The position of the bracket that closes the one at `open`, (, [ or {; the number of tokens if none does.
std::size_t closing(const std::vector<token>& tokens, std::size_t open);

}  // namespace bankwise::source
