// Splits a C++ source into words and operators. Each token has a position, so that an edit changes exactly the intended
// text. There are no tokens for comments.
//
//     tile[ty][tx + 1] = 0.f;  // tile        tile  [  ty  ]  [  tx  +  1  ]  =  0.f  ;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bankwise::source {

struct token {
  enum class kind : std::uint8_t { word, number, text, mark } is = kind::mark;
  std::string_view spelled;
  std::size_t at = 0;  // position of the first byte in the source
  std::uint32_t line = 1;
  bool of_directive = false;  // whether the token is in a preprocessor directive

  std::size_t end() const { return at + spelled.size(); }
};

// The source must outlive the tokens. Every character that is neither a blank nor in a comment belongs to a token.
std::vector<token> tokens_of(std::string_view source);

// The bracket that closes the bracket at `open`, which is (, [ or {. If there is none, the number of tokens.
std::size_t closing(const std::vector<token>& tokens, std::size_t open);

}  // namespace bankwise::source
