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
  std::size_t at = 0;                // of its name, in bytes of the source
  std::uint32_t line = 0;            // of its name
  std::vector<std::string> extents;  // in their spelling

  friend bool operator==(const declared_array&, const declared_array&) = default;
};

// The declaration for the lines of the accesses: the last one before the first access whose block contains most of
// them.
std::optional<declared_array> find_declared(std::string_view source, const std::string& name,
                                            const std::vector<std::uint32_t>& lines);

// The array with numeric extents and an element of any type, whose size follows from `bytes`; or with one extent of any
// spelling, and elements of a known type.
std::optional<expr::array_decl> plain_shape(const declared_array& d, std::uint64_t bytes);

// Whether wide accesses to it are the compiler's: nowhere is the address of an element made one of something wider.
bool joins_elements(std::string_view source, const declared_array& d);

// A line that reads an element which the code on an earlier line, or on the same, stored: "a[i] += x", "a[i] = x; ... y
// = a[i]". While the compiler can prove that nothing else was stored there, it keeps the value; after a computed index
// it may not be able to.
struct kept_element {
  std::uint32_t read = 0, stored = 0;  // lines

  friend auto operator<=>(const kept_element&, const kept_element&) = default;
};
// In order, each once.
std::vector<kept_element> kept_elements(std::string_view source, const declared_array& d);

}  // namespace bankwise::source
