// Lists the swizzles that permute granules within rows of all banks, in the order in which they are tried:
//
//     float tile[32][32], granules of 4 bytes      Swizzle<5,2,5>, the column xor the row: the usual one
//                                                  requested swizzles
//                                                  Swizzle<1,2,1> to Swizzle<5,2,5>
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "bankwise/swizzle.hpp"

namespace bankwise::advise {

// Calls visit(swizzle) for each swizzle that stays within an array of this size, until visit returns false. Returns the
// last result of visit. `pitch` is 0 for an array without rows. If a granule or a row of banks is not a power of two in
// size, there are no swizzles.
template <class Visit>
bool each_swizzle(u32 row_bytes, u32 granule, u32 pitch_bytes, std::uint64_t bytes, std::span<const swizzle> first,
                  const Visit& visit) {
  if (!std::has_single_bit(row_bytes) || !std::has_single_bit(granule)) return true;
  const u32 low = static_cast<u32>(std::countr_zero(granule)), row = static_cast<u32>(std::countr_zero(row_bytes));
  const u32 bits = static_cast<u32>(std::bit_width(bytes - 1));
  const auto fits = [&](swizzle s) {
    return s.bits != 0 && s.base >= low && s.base + s.bits <= row && s.base + s.shift + s.bits <= bits;
  };
  // The usual swizzle: the column xor the row, in units of granules.
  if (std::has_single_bit(pitch_bytes) && pitch_bytes > granule) {
    const u32 pitch = static_cast<u32>(std::countr_zero(pitch_bytes));
    const swizzle s{std::min({pitch - low, row - low, bits - std::min(bits, pitch)}), low, pitch - low};
    if (fits(s) && s.shift >= s.bits && !visit(s)) return false;
  }
  for (const swizzle s : first)
    if (fits(s) && !visit(s)) return false;
  for (u32 b = 1; b <= row; ++b)
    for (u32 m = low; m + b <= row; ++m)
      for (u32 s = b; m + s + b <= bits; ++s)
        if (!visit(swizzle{b, m, s})) return false;
  return true;
}

}  // namespace bankwise::advise
