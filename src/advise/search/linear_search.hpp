// Finds the best layout of all layouts that are linear over GF(2).
//
// The layout is a map from granules to the columns of banks. This file searches its columns by branch and bound.
//
//     granule x of 16 bytes   bits 0 1 2 | 3 4 5 6 7 8        F(x) = xor of column[j] over the set bits j of x
//     column of banks F(x)    e0 e1 e2   | ? ? ? ? ? ?        here the low bits stay: 128-byte rows stay rows
//
// Two granules of a phase collide if F maps them to the same column. The search decides the columns one bit after
// another. If two granules differ only in decided bits, they already collide or never will. This gives the lower bound
// of a branch. Renaming the columns of banks changes nothing, so the search examines each F only in its reduced form.
#pragma once

#include <cstdint>
#include <optional>

#include "advise/problem.hpp"

namespace bankwise::advise {

struct linear_result {
  std::optional<bit_matrix> best;  // over byte offsets; empty if no layout below `limit` was found
  std::uint64_t wavefronts = 0;    // wavefronts of the best layout
  bool exhaustive = false;         // whether the search proved that no layout is better
  std::uint64_t nodes = 0;         // number of examined branches
  std::uint64_t words = 0;         // number of examined words, which `effort` limits
};

// Whether the search supports this machine and granule: sizes are powers of two, and rows of banks are plain.
bool has_linear_search(const problem& p);

// Searches for layouts with fewer wavefronts than `limit`. `keep_rows` allows only an xor within rows of all banks.
// `effort` limits the examined words. The result depends only on the input.
linear_result search_linear(const problem& p, bool keep_rows, std::uint64_t limit, std::uint64_t effort);

}  // namespace bankwise::advise
