// Finds the best layout of all layouts that are linear over GF(2).
//
// A layout is a linear map F from granules to columns of banks. This file searches the columns of F by branch and
// bound.
//
//     granule x of 16 bytes   bits 0 1 2 | 3 4 5 6 7 8        F(x) = xor of column[j] over the set bits j of x
//     column of F             e0 e1 e2   | ? ? ? ? ? ?        the low bits do not change: 128-byte rows stay rows
//
// Two granules of a phase collide if F maps them to the same column of banks. The search decides the columns of F one
// after another. If two granules differ only in decided bits, it is known whether they collide. These collisions give a
// lower bound. A permutation of the columns of banks has no effect, so only the reduced form of each F is examined.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "advise/search/problem.hpp"

namespace bankwise::advise {

struct linear_result {
  std::optional<bit_matrix> best;  // a matrix over byte offsets; empty if no layout below `limit` was found
  std::uint64_t wavefronts = 0;    // wavefronts of the best layout
  bool exhaustive = false;         // whether the search proved that no layout is better
  std::uint64_t nodes = 0;         // number of examined branches
  std::uint64_t words = 0;         // number of examined words, which `effort` limits
};

// Whether the search supports this machine and this granule size. Sizes must be powers of two, and a row of a bank must
// be one word.
bool has_linear_search(const problem& p);

// Searches for layouts with fewer wavefronts than `limit`. `keep_rows`: whether the layout must be an xor within rows.
// A row has one word of each bank. `effort`: largest number of words to examine. A word counts again in each branch
// that examines its granule. The result depends only on the parameters, unless `stop` becomes nonzero, which ends the
// search.
linear_result search_linear(const problem& p, bool keep_rows, std::uint64_t limit, std::uint64_t effort,
                            const std::atomic<std::uint32_t>* stop = nullptr);

}  // namespace bankwise::advise
