// Wraps a cubin in a fatbin as nvcc does, for programs that register the cubin without nvcc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bankwise::test {

struct fatbin_wrapper {
  std::uint32_t magic, version;
  const std::byte* fatbin;
  const void* linked;
};

inline std::vector<std::byte> fatbin_of(const std::vector<std::byte>& cubin) {
  constexpr std::size_t header = 16, entry = 64;
  const std::uint64_t padded = (cubin.size() + 7) / 8 * 8;
  std::vector<std::byte> image(header + entry + padded);
  const auto put = [&](std::size_t at, auto value) { std::memcpy(image.data() + at, &value, sizeof value); };
  put(0, std::uint32_t{0xba55ed50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{header});
  put(8, std::uint64_t{entry + padded});
  put(header, std::uint16_t{2});  // ELF
  put(header + 2, std::uint16_t{0x101});
  put(header + 4, std::uint32_t{entry});
  put(header + 8, padded);
  put(header + 28, std::uint32_t{90});
  std::memcpy(image.data() + header + entry, cubin.data(), cubin.size());
  return image;
}

}  // namespace bankwise::test
