// The text of a source, with an editor's positions: lines from 0, columns in UTF-16 units.
//
//     x = "größe";      the column after ö is 8, although 9 bytes come before it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::lsp {

// The protocol counts up to 2^31 - 1.
inline constexpr std::uint32_t most_position = 0x7fffffff;

struct position {
  std::uint32_t line = 0, character = 0;
  friend bool operator==(const position&, const position&) = default;
};
struct range {
  position from, to;
  friend bool operator==(const range&, const range&) = default;
};

// The number of UTF-16 units. An invalid byte of UTF-8 counts as one, as editors show it.
std::uint32_t utf16_length(std::string_view utf8);

class document {
 public:
  explicit document(std::string text);

  const std::string& text() const { return text_; }
  std::size_t lines() const { return begins_.size(); }
  // A line without its end; empty after the last line.
  std::string_view line(std::size_t n) const;
  position position_at(std::size_t offset) const;
  // The offset of a position. A position past the end of a line or of the text becomes that end.
  std::size_t offset(position p) const;
  // The text of a line, without the blanks around it.
  range written(std::size_t n) const;

 private:
  std::string text_;
  std::vector<std::size_t> begins_;
};

}  // namespace bankwise::lsp
