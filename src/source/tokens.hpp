// A source in C++ cut into words and marks, each with its place, so that what is edited is exactly what stands there.
//
//     tile[ty][tx + 1] = 0.f;  // tile        tile  [  ty  ]  [  tx  +  1  ]  =  0.f  ;        comments are none
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

// The source must outlive them. Whatever it holds, there is a token for each run of bytes that is no blank and no comment.
std::vector<token> tokens_of(std::string_view source);

// The place of the bracket that closes the one at `open`, (, [ or {; the number of tokens: none does.
std::size_t closing(const std::vector<token>& tokens, std::size_t open);

}  // namespace bankwise::source
