// Splits a C++ source into words and operators. Each token has a position, so that an edit can change exactly the
// intended text. Comments have no tokens.
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

// The source must outlive the tokens. Tokens contain all characters except blanks and comments.
std::vector<token> tokens_of(std::string_view source);

// Whether a mark is an opening or closing bracket.
bool opens(const token& t);
bool closes(const token& t);

// Returns the bracket that closes the bracket at `open`, which is (, [ or {. If there is none, returns the number of
// tokens.
std::size_t closing(const std::vector<token>& tokens, std::size_t open);

}  // namespace bankwise::source
