// A shared array in a source: its declaration, and how a compiler may keep its elements in registers.
//
//     12: __shared__ float tile[T][T + 1];     declared_array{"tile", "float", at, 12, {"T", "T + 1"}}
//     20: tile[i][j] += x;                     kept_element{20, 20}: the compiler need not read it again
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/parse/scope.hpp"

namespace bankwise::source {

// Where an array is declared in a source.
struct declared_array {
  std::string name, type;
  std::size_t at = 0;                // byte offset of its name in the source
  std::uint32_t line = 0;            // of its name
  std::vector<std::string> extents;  // in their spelling

  friend bool operator==(const declared_array&, const declared_array&) = default;
};

// Finds the declaration for the lines of the accesses: the last one before the first access whose block contains most
// of them.
std::optional<declared_array> find_declared(std::string_view source, const std::string& name,
                                            const std::vector<std::uint32_t>& lines);

// Returns the array if its extents are numbers (its element may have any type, because the size follows from `bytes`),
// or if it has a single extent of any form and elements of a known type.
std::optional<expr::array_decl> plain_shape(const declared_array& d, std::uint64_t bytes);

// Whether only the compiler makes wide accesses to it: the source never converts the address of an element to a pointer
// to a wider type.
bool joins_elements(std::string_view source, const declared_array& d);

// A line that reads an element that the same or an earlier line stored: "a[i] += x", "a[i] = x; ... y = a[i]". As long
// as the compiler can prove that nothing else was stored there, it keeps the value in a register; after a store with a
// computed index it may be unable to prove it.
struct kept_element {
  std::uint32_t read = 0, stored = 0;  // lines

  friend auto operator<=>(const kept_element&, const kept_element&) = default;
};
// In the order of the source, each once.
std::vector<kept_element> kept_elements(std::string_view source, const declared_array& d);

}  // namespace bankwise::source
