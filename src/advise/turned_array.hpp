// An array that the kernel stores transposed. A thread then finds the elements of a column next to each other, so that
// wide loads can load them.
//
//     float a[128][8]    x[i] = a[row + i][k] for i < 8      8 times ld.b32, at distances of a row of 32 bytes
//     float a[8][128]    x[i] = a[k][row + i]                2 times ld.b128, but a store to a row stores to a column
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advise/advice.hpp"
#include "expr/parse/expression.hpp"

namespace bankwise::advise {

struct turned_array {
  u32 rows = 0, columns = 0;  // numbers of rows and columns before the change; an element has what.element_bytes bytes
  problem what;               // the transposed array, with wide loads
  advice found;
  answer best;  // the best simple layout of the transposed array: unchanged, or with a padding or swizzle
  named_operation before, after;
  std::uint32_t instructions_before = 0, instructions_after = 0;
  std::uint64_t executed_before = 0,
                executed_after = 0;  // warp instructions on the array, including split stores
};

// Returns nothing if no loads are one row apart, if addresses depend on data, or if operations other than loads, stores
// and atomics use the array. Also returns nothing if the rows are unknown and cannot be found from distances.
std::optional<turned_array> turn(const problem& p, const effort& most = {});

// Whether to show the transposed array in addition to the best layout. The transposed array must take fewer wavefronts,
// or as many wavefronts with fewer instructions.
bool is_better(const turned_array& t, const advice& as_it_is);

}  // namespace bankwise::advise
