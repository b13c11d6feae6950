// Edits a source, as a programmer would, so that a shared array gets a different layout.
//
//     rows of BM + 4        __shared__ float As[BK][BM];        __shared__ float As[BK][BM + 4];
//     column ^ row          tile[ty][tx] = in[i];               tile[ty][tx ^ ty] = in[i];
//     2 after every 32      __shared__ double T[2048];          __shared__ double T[2048 + 2048 / 32 * 2];
//                                                         const auto T_at = [](unsigned i) { return i + i / 32 * 2; };
//                           x = T[a * 8 + b];                   x = T[T_at(a * 8 + b)];
//     4 after 32 columns    s[k][n] = x;                        s[k][n + n / 32u * 4] = x;
//     a padding by name     const int pad = 5;                  const int pad = 4;
//
// If the array is passed to a function of the same source, such as `void f(float As[BK][BM])`, the function is also
// edited. Names and constants keep their spelling. If the array has accesses of 64 or 128 bits, it gets the same
// alignment. Without this alignment, the compiler would split such accesses when rows become longer.
//
// Some uses cannot be proved to stay correct: an index that may be outside its row, the size of the array, an address
// that is passed to a function. Each of these uses is listed as a doubt, with its line. Build and run the program
// before you accept an edit with doubts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.hpp"
#include "advise/search/problem.hpp"
#include "base/text_change.hpp"
#include "source/declared_array.hpp"
#include "source/range/index_range.hpp"

namespace bankwise::edit {

struct by_hand {
  std::uint32_t line = 0;
  std::string what;  // example: "block is used without an index"

  friend bool operator==(const by_hand&, const by_hand&) = default;
};

struct array_edit {
  std::vector<text_change> changes;  // changes of the text, in the order of the source
  std::vector<by_hand> doubts;       // lines for which the edit may be wrong, and why
  std::string words;                 // the new declaration; also the new index, if the edit changes the index
  std::vector<std::string> lines;    // the changed lines, such as "12: tile[ty][tx ^ ty] = in[i];"
  // why there is no edit; if it is not empty, all other members except `doubts` are empty
  std::string refused;
};

// Makes the edit of one source. The edit is for an answer to the problem of an array. `shape` contains the array's
// extents without the removed padding. `lines` are the lines of the accesses in this source. `block` is the launch's
// block, which limits the values of indices. `others` are the shapes of the array in other instances of its template.
array_edit edit_layout(std::string_view source, const source::declared_array& d, const expr::array_decl& shape,
                       const advise::problem& p, const advise::answer& a, const std::vector<std::uint32_t>& lines,
                       const source::threads_of_block& block = {}, const std::vector<expr::array_decl>& others = {});

}  // namespace bankwise::edit
