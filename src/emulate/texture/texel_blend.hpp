// Texels as numbers, and the weighted sums of a texture unit.
//
//     51 * 0.25 + 205 * 0.75 for floats, both texels are brought to the larger one's exponent, with four bits after the
//     24 of a float, and lower bits are cut; 256ths of them are summed exactly;
//                                          the sum is rounded to a float, halves away from zero
//
// Sums of two slices, levels or probes are also brought to the larger exponent, with one more bit. Halves work in the
// same way with 11 bits. For sRGB, bytes 8 n to 8 n + 7 have one exponent and 8 bits: 232 alone is 207/256, but
// together with 248 to 255, which are multiples of 2/256, it is 206/256. Channels of 8 and 16 bits are sums of
// integers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

inline constexpr int weight_bits = 8;
inline constexpr std::int32_t whole_weight = 1 << weight_bits;

// A texel of a level, or the border, with its weight.
struct tap {
  const std::byte* at;  // null: the border
  std::int32_t weight;
  std::uint8_t quad;  // up to four of one slice of one level, which are summed first
};

// Whether a read returns the bits of integers.
bool gives_integers(const texture& t);
// The registers for a texel without a filter; null for the border.
texel read_texel(const texture& t, const std::byte* at);
// Replaces values that are NaN or too small for a float, as gathers do to a texel of floats.
texel without_specials(const texture& t, texel r);
// Weights must add up to 1 << bits.
texel blend(const texture& t, const tap* taps, unsigned count, int bits);

}  // namespace bankwise::emulate
