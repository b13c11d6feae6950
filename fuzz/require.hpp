// Conditions that every target checks about errors and other results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise::fuzz {

#define BANKWISE_REQUIRE(condition)                                                      \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)

// Checks that an error has a message of at most a few lines.
template <class T>
bool succeeded(const result<T>& r) {
  if (r) return true;
  BANKWISE_REQUIRE(!r.error().message.empty());
  BANKWISE_REQUIRE(to_text(r.error()).size() < (1u << 20));
  return false;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline byte_span bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

}  // namespace bankwise::fuzz
