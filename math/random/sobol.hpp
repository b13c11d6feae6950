// Direction numbers of Sobol's sequences. These numbers are computed from primitive polynomials and initial numbers in
// the table of Joe and Kuo. The table contains the first 21 dimensions of cuRAND.
//
//     sobol_directions(1, 32)      0x80000000, 0xc0000000, 0xa0000000, ...      second dimension
#pragma once

#include <array>
#include <cstdint>

namespace bankwise::math {

inline constexpr unsigned sobol_dimensions = 21;

// Returns `bits` direction numbers of `bits` bits each. `bits` is 32 or 64.
std::array<std::uint64_t, 64> sobol_directions(unsigned dimension, unsigned bits);

}  // namespace bankwise::math
