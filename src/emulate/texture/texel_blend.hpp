// Texels as numbers, and the weighted sums of a texture unit. An example with floats:
//
//     51 * 0.25 + 205 * 0.75
//
// Both texels are shifted to the exponent of the larger texel. Four bits after the 24 bits of a float are kept, and
// lower bits are dropped. Multiples of 1/256 of the shifted texels are added exactly. The sum is rounded to the nearest
// float. In the middle between two floats, it is rounded away from zero.
//
// When the sums of two slices, levels or probes are added, both sums are shifted to the larger exponent. The result
// keeps one bit more than the sum with the larger exponent. Halves are added in the same way, with 11 bits. Channels of
// 8 and 16 bits are added as integers.
//
// For sRGB, the linear values of bytes 8 n to 8 n + 7 share one exponent and have 8 bits. For example, byte 232 alone
// has the value 207/256. The values of bytes 248 to 255 are multiples of 2/256. In a sum with one of the bytes 248 to
// 255, byte 232 is shifted to the larger exponent, and has the value 206/256.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulate/texture/texture.hpp"

namespace bankwise::emulate {

inline constexpr int weight_bits = 8;
inline constexpr std::int32_t whole_weight = 1 << weight_bits;

// One input of a weighted sum: a texel of a level, or the border, with its weight.
struct tap {
  const std::byte* at;  // null for the border
  std::int32_t weight;
  // number of the texel's quad; a quad consists of up to four texels that are added first, from one slice of one level
  std::uint8_t quad;
};

// Whether a read of the texture returns integers.
bool gives_integers(const texture& t);
// The result of a read without a filter. `at` is null for the border.
texel read_texel(const texture& t, const std::byte* at);
// Replaces NaN by the canonical NaN, and subnormal numbers by zero, as a gather does with texels of floats.
texel without_specials(const texture& t, texel r);
// The weighted sum of texels. The weights must add up to 1 << bits.
texel blend(const texture& t, const tap* taps, unsigned count, int bits);

}  // namespace bankwise::emulate
