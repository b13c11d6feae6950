#include "lsp/document.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace bankwise::lsp {

namespace {

struct character {
  std::size_t bytes = 1;
  std::uint32_t units = 1;
};

character character_at(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned first = byte(at);
  const std::size_t bytes = first < 0x80                    ? 1
                            : first >= 0xc2 && first < 0xe0 ? 2
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xf0 && first < 0xf5 ? 4
                                                            : 1;
  if (at + bytes > s.size()) return {};
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return {};
  return {bytes, bytes == 4 ? 2U : 1U};
}

}  // namespace

std::uint32_t utf16_length(std::string_view utf8) {
  std::uint64_t units = 0;
  for (std::size_t i = 0; i < utf8.size();) {
    const character c = character_at(utf8, i);
    units += c.units;
    i += c.bytes;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(units, most_position));
}

document::document(std::string text) : text_(std::move(text)), begins_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n')))
      begins_.push_back(i + 1);
}

std::string_view document::line(std::size_t n) const {
  if (n >= begins_.size()) return {};
  const std::size_t end = n + 1 < begins_.size() ? begins_[n + 1] : text_.size();
  std::string_view s = std::string_view(text_).substr(begins_[n], end - begins_[n]);
  while (!s.empty() && (s.back() == '\n' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

position document::position_at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto line =
      static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), offset) - begins_.begin() - 1);
  return {static_cast<std::uint32_t>(line),
          utf16_length(std::string_view(text_).substr(begins_[line], offset - begins_[line]))};
}

std::size_t document::offset(position p) const {
  if (p.line >= begins_.size()) return text_.size();
  const std::string_view s = line(p.line);
  std::size_t i = 0;
  for (std::uint64_t units = 0; i < s.size();) {
    const character c = character_at(s, i);
    if (units + c.units > p.character) break;
    units += c.units;
    i += c.bytes;
  }
  return begins_[p.line] + i;
}

range document::written(std::size_t n) const {
  const std::string_view s = line(n);
  const std::string_view inner = trim(s);
  const auto number = static_cast<std::uint32_t>(n);
  if (inner.empty()) return {{number, 0}, {number, utf16_length(s)}};
  const auto from = static_cast<std::size_t>(inner.data() - s.data());
  return {{number, utf16_length(s.substr(0, from))}, {number, utf16_length(s.substr(0, from + inner.size()))}};
}

}  // namespace bankwise::lsp
