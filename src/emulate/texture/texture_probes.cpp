#include "emulate/texture/texture_probes.hpp"

#include <algorithm>
#include <cmath>

namespace bankwise::emulate {

namespace {

using i32 = std::int32_t;
constexpr i32 whole = 256;

// 2 to the power of the logarithm's fractional part, in 128ths: a number from 1 to 2.
i32 power_of(i32 logarithm) {
  return static_cast<i32>(std::lround(std::exp2(7 + static_cast<double>(logarithm & (whole - 1)) / whole)));
}
// 1/2 to the power of the logarithm's fractional part, in 256ths: a number from 1/2 to 1.
i32 reciprocal_of(i32 logarithm) {
  return static_cast<i32>(std::lround(std::exp2(8 - static_cast<double>(logarithm & (whole - 1)) / whole)));
}
// Multiplies an offset by the length of a step. The length of a step is in 64ths of a texel, rounded down.
std::array<i32, 2> scaled(const std::array<i32, 2>& offset, i32 step) {
  const i32 factor = (power_of(step) >> 1) << (step >> 8);
  return {(offset[0] * factor) >> 6, (offset[1] * factor) >> 6};
}

}  // namespace

probes probes_of(const std::array<i32, 2>& direction, i32 length, i32 step) {
  probes p;
  const auto put = [&](unsigned n, i32 times, const std::array<i32, 2>& offset, i32 weight) {
    p.all[p.count / 2 + n] = {{times * offset[0], times * offset[1]}, weight};
    p.all[p.count / 2 - 1 - n] = {{-times * offset[0], -times * offset[1]}, weight};
  };
  if (length <= 0 || (direction[0] == 0 && direction[1] == 0)) {
    p.count = 1;
    p.all[0] = {{}, whole};
    return p;
  }
  if (length < whole) {
    p.count = 2, p.bits = 9;
    const i32 part = whole - reciprocal_of(length);
    const std::array<i32, 2> offset{(direction[0] * part + 64) >> 7, (direction[1] * part + 64) >> 7};
    put(0, 1, scaled(offset, step), whole);
    return p;
  }
  const i32 exponent = length >> 8;
  p.bits = 8 + std::min(exponent, 2);
  const i32 side = 1 << (p.bits - 1), finer = std::max(exponent - 2, 0);
  const i32 reciprocal = reciprocal_of(length);
  p.count = 2 * static_cast<unsigned>(((side << finer) + reciprocal - 1) / reciprocal);
  const unsigned half = p.count / 2;
  const std::array<i32, 2> offset = scaled(direction, step);
  const i32 inner = reciprocal >> finer;
  for (unsigned n = 0; n < half; ++n)
    put(n, static_cast<i32>(2 * n + 1), offset, n + 1 < half ? inner : side - inner * static_cast<i32>(half - 1));
  return p;
}

}  // namespace bankwise::emulate
