// The text of a source, with positions as an editor counts them: lines from 0, and columns in UTF-16 units.
//
//     x = "größe";      the column after ö is 8, although there are 9 bytes before it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::lsp {

// The largest number of a line or column in the protocol: 2^31 - 1.
inline constexpr std::uint32_t most_position = 0x7fffffff;

struct position {
  std::uint32_t line = 0, character = 0;
  friend bool operator==(const position&, const position&) = default;
};
struct range {
  position from, to;
  friend bool operator==(const range&, const range&) = default;
};

// Returns the number of UTF-16 units of a text. Like editors, counts an invalid byte of UTF-8 as one unit.
std::uint32_t utf16_length(std::string_view utf8);

class document {
 public:
  explicit document(std::string text);

  const std::string& text() const { return text_; }
  std::size_t lines() const { return begins_.size(); }
  // Returns a line without its line break. Returns an empty string after the last line.
  std::string_view line(std::size_t n) const;
  position position_at(std::size_t offset) const;
  // Returns the offset of a position. If the position is past the end of its line or of the text, returns the offset of
  // this end.
  std::size_t offset(position p) const;
  // Returns the range of a line's text, without blanks before and after it.
  range written(std::size_t n) const;

 private:
  std::string text_;
  std::vector<std::size_t> begins_;
};

}  // namespace bankwise::lsp
