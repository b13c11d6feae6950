// Direction numbers of Sobol's sequences, from the primitive polynomials and first numbers in Joe and Kuo's table: for
// its first 21 dimensions, as in cuRAND.
//
//     sobol_directions(1, 32)      0x80000000, 0xc0000000, 0xa0000000, ...      of the second dimension
#pragma once

#include <array>
#include <cstdint>

namespace bankwise::math {

inline constexpr unsigned sobol_dimensions = 21;

// `bits` direction numbers, 32 or 64, each with that many bits.
std::array<std::uint64_t, 64> sobol_directions(unsigned dimension, unsigned bits);

}  // namespace bankwise::math
