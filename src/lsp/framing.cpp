#include "lsp/framing.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::lsp {

namespace {

constexpr std::string_view header_end = "\r\n\r\n";

// Returns the length from a header. Returns nothing if the header contains no length, or if the length is not a number.
std::optional<std::size_t> length_of(std::string_view header) {
  std::optional<std::size_t> length;
  while (!header.empty()) {
    const std::size_t end = std::min(header.find("\r\n"), header.size());
    const std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    if (!equal_in_any_case(line.substr(0, colon), "Content-Length")) continue;
    const std::string_view digits = trim(line.substr(colon + 1));
    if (length || digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    const auto n = parse_u64(digits);
    if (!n) return std::nullopt;
    length = *n;
  }
  return length;
}

}  // namespace

void frame_reader::feed(std::string_view bytes) {
  if (broken_) return;
  const std::size_t skipped = std::min(skip_, bytes.size());
  skip_ -= skipped;
  bytes.remove_prefix(skipped);
  held_.erase(0, at_);
  at_ = 0;
  held_ += bytes;
}

std::optional<frame> frame_reader::next() {
  if (broken_) return std::nullopt;
  const std::string_view rest = std::string_view(held_).substr(at_);
  if (!length_) {
    const std::size_t end = rest.find(header_end);
    if (end == std::string_view::npos ? rest.size() > most_header_bytes : end > most_header_bytes) {
      broken_ = true;
      return frame{frame::kind::broken, formatted("the header of a message has more than {} bytes", most_header_bytes)};
    }
    if (end == std::string_view::npos) return std::nullopt;
    length_ = length_of(rest.substr(0, end));
    if (!length_) {
      broken_ = true;
      return frame{frame::kind::broken, "the header of a message must have exactly one Content-Length, in digits"};
    }
    at_ += end + header_end.size();
    if (*length_ > most_message_bytes) {
      const std::size_t here = std::min(*length_, held_.size() - at_);
      skip_ = *length_ - here;
      at_ += here;
      const std::string said = std::to_string(*length_);
      length_.reset();
      return frame{frame::kind::too_large,
                   formatted("a message has {} bytes; at most {} bytes are allowed", said, most_message_bytes)};
    }
    return next();
  }
  if (rest.size() < *length_) return std::nullopt;
  frame f{frame::kind::message, std::string(rest.substr(0, *length_))};
  at_ += *length_;
  length_.reset();
  return f;
}

std::string framed(std::string_view message) {
  return formatted("Content-Length: {}\r\n\r\n{}", message.size(), message);
}

}  // namespace bankwise::lsp
