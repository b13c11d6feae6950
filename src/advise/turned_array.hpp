// An array that is transposed when it is stored: the elements that a thread loads down a column become adjacent, so
// that wide loads can read them.
//
//     float a[128][8]    x[i] = a[row + i][k] for i < 8      8 times ld.b32, at distances of a row of 32 bytes
//     float a[8][128]    x[i] = a[k][row + i]                2 times ld.b128; stores of a row of 8 become stores of a column
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advise/advice.hpp"
#include "expr/expression.hpp"

namespace bankwise::advise {

struct turned_array {
  u32 rows = 0, columns = 0;  // unchanged: elements of `what.element_bytes`
  problem what;               // transposed, with wide loads
  advice found;
  answer best;  // the best layout of the transposed array: unchanged, or with a simple padding or swizzle
  named_operation before, after;  // of the loads that become wide
  std::uint32_t instructions_before = 0, instructions_after = 0;
  std::uint64_t executed_before = 0,
                executed_after = 0;  // warp instructions on the array, including split stores
};

// Nothing if no loads are one row apart, if the rows are unknown and cannot be derived, if the array is used by
// operations other than loads, stores and atomics, or if addresses depend on data.
std::optional<turned_array> turn(const problem& p, const effort& most = {});

// Whether to show it in addition to the best layout of the unchanged array: it takes fewer wavefronts, or as many with
// fewer instructions.
bool is_better(const turned_array& t, const advice& as_it_is);

}  // namespace bankwise::advise
