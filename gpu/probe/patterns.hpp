// Accesses to measure: known difficult cases, and random accesses that resemble accesses of real code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meter.hpp"

namespace bankwise::probe {

struct known_case {
  const char* name;
  const char* operation;  // operation of the access, such as "ld.b64"
  access what;
};
// Returns the known cases. These are eleven 64-bit and 128-bit loads whose phases merge or do not merge, an ldmatrix
// with and without a swizzle, columns of tiles with and without padding, and strides.
std::vector<known_case> known_cases();

// Returns `count` accesses of the operation. The accesses only depend on the seed. They include strides, tiles,
// swizzles, shuffles, pairs of equal lanes, few or many different addresses, and masks of all kinds.
std::vector<access> random_patterns(const probed_operation& p, std::size_t count, std::uint64_t seed);

}  // namespace bankwise::probe
