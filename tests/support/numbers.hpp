// The inputs of the programs in examples/.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace bankwise::test {

// Returns the same numbers as examples/check.cuh: small numbers, whose sums in float are exact.
inline std::vector<float> small_numbers(std::size_t count, std::size_t seed) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<float>((i * 7 + seed * 13 + i / 11) % 9) - 4.0f;
  return v;
}

inline std::uint16_t to_half(float small_integer) {
  if (small_integer == 0) return 0;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &small_integer, sizeof bits);
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 127 + 15) << 10) |
                                    (bits >> 13 & 0x3ff));
}
inline std::vector<std::uint16_t> to_half(const std::vector<float>& v) {
  std::vector<std::uint16_t> h;
  for (const float x : v) h.push_back(to_half(x));
  return h;
}

}  // namespace bankwise::test
