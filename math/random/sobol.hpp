// Direction numbers of Sobol's sequences, from the primitive polynomials and first numbers in the table of Joe and Kuo.
// There are numbers for the first 21 dimensions of cuRAND.
//
//     sobol_directions(1, 32)      0x80000000, 0xc0000000, 0xa0000000, ...      second dimension
#pragma once

#include <array>
#include <cstdint>

namespace bankwise::math {

inline constexpr unsigned sobol_dimensions = 21;

// Returns `bits` direction numbers, each with this number of bits, which is 32 or 64.
std::array<std::uint64_t, 64> sobol_directions(unsigned dimension, unsigned bits);

}  // namespace bankwise::math
