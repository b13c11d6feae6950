// The edit of a source that gives a shared array another layout, as a person would write it.
//
//     rows of BM + 4        __shared__ float As[BK][BM];        __shared__ float As[BK][BM + 4];
//     column ^ row          tile[ty][tx] = in[i];               tile[ty][tx ^ ty] = in[i];
//     2 behind every 32     __shared__ double T[2048];          __shared__ double T[2048 + 2048 / 32 * 2];
//                                                               const auto T_at = [](unsigned i) { return i + i / 32 * 2; };
//                           x = T[a * 8 + b];                   x = T[T_at(a * 8 + b)];
//     4 behind 32 columns   s[k][n] = x;                        s[k][n + n / 32u * 4] = x;
//     a padding by name     const int pad = 5;                  const int pad = 4;
//
// An array that is handed to a function of the same source, `void f(float As[BK][BM])`, is followed into it.
// Names and constants stay as they are spelled. What cannot be seen to be right is a doubt with its line: whoever builds and
// runs the program can take the edit all the same.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advice.hpp"
#include "advise/problem.hpp"
#include "base/text_change.hpp"
#include "expr/scope.hpp"

namespace bankwise::advise {

// Where an array is declared in a source.
struct declared_array {
  std::string name, type;
  std::size_t at = 0;                // of its name, in bytes of the source
  std::uint32_t line = 0;            // of its name
  std::vector<std::string> extents;  // as they are spelled

  friend bool operator==(const declared_array&, const declared_array&) = default;
};

// The declaration that the lines of the accesses mean: the last before the first of them whose block has most of them.
std::optional<declared_array> find_declared(std::string_view source, const std::string& name,
                                            const std::vector<std::uint32_t>& lines);

// The array with extents that are all numbers, and an element of any type: what `bytes` leave for one; or with one extent of
// any spelling, and elements of a type that is known.
std::optional<expr::array_decl> plain_shape(const declared_array& d, std::uint64_t bytes);

// Whether wide accesses to it are the compiler's: nowhere is the address of an element made one of something wider.
bool joins_elements(std::string_view source, const declared_array& d);

// A line that reads an element which the code on an earlier line, or on the same, stored: "a[i] += x", "a[i] = x; ... y = a[i]".
// As long as the compiler sees that nothing else was stored there it keeps the value; behind a computed index it may not see that.
struct kept_element {
  std::uint32_t read = 0, stored = 0;  // lines

  friend auto operator<=>(const kept_element&, const kept_element&) = default;
};
// In order, each once.
std::vector<kept_element> kept_elements(std::string_view source, const declared_array& d);

struct by_hand {
  std::uint32_t line = 0;
  std::string what;  // "block is passed on without an index"

  friend bool operator==(const by_hand&, const by_hand&) = default;
};

struct source_edit {
  std::vector<text_change> changes;  // in order
  std::vector<by_hand> doubts;       // lines that the edit may be wrong about
  std::string words;                 // "tile[TILE_DIM][TILE_DIM + 1]", and the new index where there is one
  std::vector<std::string> lines;    // what changes: "12: tile[ty][tx ^ ty] = in[i];"
  std::string refused;               // why there is no edit; the rest is empty then, but for `doubts`
};

// The edit of one source for one answer to a problem that was read of the array. `shape`: with its extents, without a
// padding that was taken out; `lines`: of the accesses, in this source.
source_edit edit_layout(std::string_view source, const declared_array& d, const expr::array_decl& shape,
                        const problem& p, const answer& a, const std::vector<std::uint32_t>& lines);

}  // namespace bankwise::advise
