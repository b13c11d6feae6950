// The best layout of all that are linear over GF(2), by branch and bound over the columns of the map from granules to
// the columns of banks.
//
//     granule x of 16 bytes   bits 0 1 2 | 3 4 5 6 7 8        F(x) = xor of column[j] over the set bits j of x
//     column of banks F(x)    e0 e1 e2   | ? ? ? ? ? ?        here the low bits stay: 128-byte rows stay rows
//
// Two granules of one phase collide if F gives them the same column. The columns are decided one bit after another.
// Granules that differ only in decided bits either collide already or never will, which gives the lower bound of a
// branch. Renaming the columns changes nothing, so each F is only examined in its reduced form.
#pragma once

#include <cstdint>
#include <optional>

#include "advise/problem.hpp"

namespace bankwise::advise {

struct linear_result {
  std::optional<bit_matrix> best;  // over byte offsets; none if nothing better than `limit` was found
  std::uint64_t wavefronts = 0;    // of the best
  bool exhaustive = false;         // whether it is proved that there is no better layout
  std::uint64_t nodes = 0;         // examined branches
  std::uint64_t words = 0;         // examined words, which `effort` limits
};

// Whether layouts of this machine and granule can be searched in this way: powers of two, and plain rows of banks.
bool has_linear_search(const problem& p);

// Searches for layouts with fewer wavefronts than `limit`. `keep_rows`: only xor within rows of all banks. `effort`
// limits the examined words. The same input always gives the same answer.
linear_result search_linear(const problem& p, bool keep_rows, std::uint64_t limit, std::uint64_t effort);

}  // namespace bankwise::advise
