// The parsed form of an expression: a list of nodes. In the list, a node is after its operands:
//
//     t * 4 + 1        0: lane    1: number 4    2: multiply 0 1    3: number 1    4: add 2 3
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace bankwise::expr {

enum class op : std::uint8_t {
  number,
  lane,
  thread,
  warp,
  tid,
  variable,  // `number` is the index of the variable in the scope
  // a leaf; `number` is the index of the reason in the parser; finished expressions do not contain such nodes
  unknown,
  element,  // address = base + sum of index * stride
  negate,
  complement,
  logical_not,
  absolute,
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  minimum,
  maximum,
  reverse_bits,
  first_set,
  count_ones,
  leading_zeros,
  choose,
};

struct node {
  op code = op::number;
  std::uint32_t column = 0;  // column of the operator, counted from 1
  std::int64_t number = 0;   // value of a literal, number of a threadIdx dimension, or stride of an index
  std::uint32_t a = 0, b = 0, c = 0;
  std::uint32_t element_bytes = 0;
  std::uint32_t pieces = 1;  // number of accesses that the element needs; each moves element_bytes
  std::uint64_t extent = 0;  // for an element: extent of this index; 0 if the index has no limit
  std::uint32_t height = 0;  // height of the subtree, and number of recursion levels for its evaluation
};

// Returns an error about the text or its value, with a position. Columns are counted from 1.
inline diagnostic error_at(std::string_view what, const std::string& text, std::size_t column, std::size_t length,
                           std::string message, std::string hint = {}) {
  location where{.file = std::string(what),
                 .line = 1,
                 .column = static_cast<std::uint32_t>(column),
                 .length = static_cast<std::uint32_t>(length),
                 .source_line = text};
  return {std::move(message), std::move(where), std::move(hint)};
}

inline bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_name(char c) { return is_name_start(c) || is_digit(c); }

}  // namespace bankwise::expr
