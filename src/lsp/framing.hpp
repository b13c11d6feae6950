// Splits a stream of bytes into messages.
//
//     Content-Length: 52\r\n
//     \r\n
//     {"jsonrpc":"2.0","id":1,"method":"shutdown"}...
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bankwise::lsp {

inline constexpr std::size_t most_header_bytes = std::size_t{1} << 12;
inline constexpr std::size_t most_message_bytes = std::size_t{1} << 26;

struct frame {
  enum class kind { message, too_large, broken } what = kind::message;
  std::string text;  // text of the message or error
};

class frame_reader {
 public:
  void feed(std::string_view bytes);
  // Returns the next complete message. Messages over the limit are skipped. After an invalid header, the next message
  // cannot be found, so all further frames are broken.
  std::optional<frame> next();

 private:
  std::string held_;
  std::size_t at_ = 0;    // number of bytes of held_ that the reader has used
  std::size_t skip_ = 0;  // number of bytes to skip in a message that is too large
  std::optional<std::size_t> length_;
  bool broken_ = false;
};

std::string framed(std::string_view message);

}  // namespace bankwise::lsp
