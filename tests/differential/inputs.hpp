// The input of all programs that generate.py makes: small numbers, words with random bits, and floats.
#pragma once

#include <cstdint>
#include <vector>

namespace differential {

constexpr std::size_t inputs = 4096, sums = 64;

inline std::vector<std::uint32_t> make_inputs() {
  std::vector<std::uint32_t> words(inputs);
  for (std::uint32_t i = 0; i < inputs; ++i) {
    std::uint32_t v = i * 0x9e3779b9u + 1;
    v ^= v >> 16, v *= 0x7feb352du, v ^= v >> 15, v *= 0x846ca68bu, v ^= v >> 16;
    words[i] = i % 4 == 0 ? v & 255 : i % 4 == 1 ? 0x3f000000u | (v & 0x80ffffffu) : v;
  }
  return words;
}

// Returns the FNV-1a hash of words.
inline std::uint64_t digest_of(const std::vector<std::uint32_t>& words) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const std::uint32_t w : words) h = (h ^ w) * 0x100000001b3u;
  return h;
}

}  // namespace differential
