#include "report/page/packed_text.hpp"

#include <lz4hc.h>

#include <cstdint>

namespace bankwise {

std::string base85(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() / 4 * 5 + 5);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      number = number << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
    char five[5];
    for (int i = 4; i >= 0; --i, number /= 85) {
      const char c = static_cast<char>(40 + number % 85);
      five[i] = c == '<' ? '}' : c;
    }
    text.append(five, sizeof five);
  }
  return text;
}

packed_text pack(std::string_view text) {
  text = text.substr(0, LZ4_MAX_INPUT_SIZE);
  std::string block(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  const int size = LZ4_compress_HC(text.data(), block.data(), static_cast<int>(text.size()),
                                   static_cast<int>(block.size()), LZ4HC_CLEVEL_DEFAULT);
  block.resize(static_cast<std::size_t>(size));
  return {base85(block), block.size(), text.size()};
}

}  // namespace bankwise
