// A shared array in a source: its declaration, and the elements that a compiler may keep in registers.
//
//     12: __shared__ float tile[T][T + 1];     declared_array{"tile", "float", at, 12, {"T", "T + 1"}}
//     20: tile[i][j] += x;                     kept_element{20, 20}: the compiler need not read the element again
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expr/parse/scope.hpp"

namespace bankwise::source {

// The declaration of an array in a source.
struct declared_array {
  std::string name, type;
  std::size_t at = 0;                // byte offset of the name in the source
  std::uint32_t line = 0;            // line of the name
  std::vector<std::string> extents;  // extents in the spelling of the source

  friend bool operator==(const declared_array&, const declared_array&) = default;
};

// Finds the declaration by the lines of the accesses. A declaration's block contains some of these lines after the
// declaration. Returns the declaration with the most such lines, or the last one if several have the most.
std::optional<declared_array> find_declared(std::string_view source, const std::string& name,
                                            const std::vector<std::uint32_t>& lines);

// Returns the array's shape in two cases. In the first case, all extents are numbers. The element type may be unknown,
// because the element's size follows from `bytes`. In the second case, there is one extent of any form, and the element
// type is known.
std::optional<expr::array_decl> plain_shape(const declared_array& d, std::uint64_t bytes);

// Whether only the compiler makes wide accesses to the array. This is true if the source never converts the address of
// an element to a pointer to a wider type.
bool joins_elements(std::string_view source, const declared_array& d);

// A line that reads an element that was stored in this line or in an earlier line: "a[i] += x", "a[i] = x; ... y =
// a[i]". The compiler keeps the value in a register if it can prove that no other store changes the element. After a
// store with a computed index, the compiler may be unable to prove this.
struct kept_element {
  std::uint32_t read = 0, stored = 0;  // lines of the read and the store

  friend auto operator<=>(const kept_element&, const kept_element&) = default;
};
// Returns the kept elements in the order of the source, without duplicates.
std::vector<kept_element> kept_elements(std::string_view source, const declared_array& d);

}  // namespace bankwise::source
