// Splits a C++ source into words and operators, each with its position, so that an edit changes exactly the intended
// text.
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
  std::size_t at = 0;  // position of its first byte in the source
  std::uint32_t line = 1;
  bool of_directive = false;  // part of a preprocessor directive

  std::size_t end() const { return at + spelled.size(); }
};

// The source must outlive the tokens. Every part of the source that is not a blank or a comment belongs to a token.
std::vector<token> tokens_of(std::string_view source);

// The bracket that closes the one at `open`, which is (, [ or {; the number of tokens if none does.
std::size_t closing(const std::vector<token>& tokens, std::size_t open);

}  // namespace bankwise::source
