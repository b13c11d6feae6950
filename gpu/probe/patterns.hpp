// Accesses to measure: known difficult cases, and random ones that look like real code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meter.hpp"

namespace bankwise::probe {

struct known_case {
  const char* name;
  const char* operation;  // "ld.b64"
  access what;
};
// Eleven 64-bit and 128-bit loads whose phases merge or do not, an ldmatrix with and without a swizzle, columns of
// tiles with and without a padding, strides.
std::vector<known_case> known_cases();

// `count` accesses of the operation, always the same for a seed: strides, tiles, swizzles, shuffles, pairs of equal
// lanes, few or many different addresses, and masks of all kinds.
std::vector<access> random_patterns(const probed_operation& p, std::size_t count, std::uint64_t seed);

}  // namespace bankwise::probe
