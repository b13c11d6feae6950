// The lane language: integer expressions of C over the lanes of a warp.
//
//     (t % 8) * 128 + (t / 8) * 16          a byte address for every lane t = 0..31
//     tile[threadIdx.x][0]                  an element of a declared array: its address and its size
//     t < 15 || t == 16                     a mask
//
// The operators and their precedence are as in C: ?: || && | ^ & == != < <= > >= << >> + - * / % and unary - + ~ ! & *,
// casts, . and ->. The functions are min, max, abs, __brev, __ffs, __popc, __clz, ceil_div, sizeof. The names are t
// (lane, lane_id), threadIdx.x .y .z (tx, ty, tz), blockDim.x .y .z, warp (warp_id, wid), warpSize, tid (the thread's
// number in its block), declared constants, variables and arrays. Numbers are decimal, or begin with 0x or 0b. They may
// have C's suffixes. Arithmetic is signed and has 64 bits. Overflow, division by zero and shifts out of range are
// errors. Such an error contains the lane and the column.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise::expr {

struct value {
  std::int64_t number = 0;          // a number, or the byte address of an element
  std::uint32_t element_bytes = 0;  // bytes of the element; 0 for a plain number
  std::uint32_t pieces = 1;         // number of accesses that one element needs: 3 for a float3, each of 4 bytes
  // whether an index was past its declared extent; such an address is computed nevertheless
  bool out_of_bounds = false;
};

struct node;  // defined in expression_tree.hpp

class expression {
 public:
  // Returns the value in a lane from 0 to 31. Fails after overflow, division by zero, and shifts out of range.
  result<value> evaluate(std::uint32_t lane) const;
  const std::string& text() const { return text_; }
  // Returns the same expression for another warp or for other lanes. The names must be the same.
  expression in(const scope& names) const {
    expression other = *this;
    other.scope_.warp = names.warp;
    other.scope_.first_lane = names.first_lane;
    return other;
  }
  // Returns the expression as a variable for a scope.
  variable as_variable(std::string name) const { return {std::move(name), text_, nodes_, root_}; }

 private:
  friend class parser;
  std::string text_;
  scope scope_;
  std::shared_ptr<const std::vector<node>> nodes_;
  std::uint32_t root_ = 0;
  std::string what_;
};

inline constexpr std::size_t most_text = 64 * 1024;  // largest length of an expression, in characters
// largest depth of nested parentheses, brackets and unary operators
inline constexpr std::uint32_t most_depth = 200;
// largest height of the tree; each operator in a sequence of operators adds 1
inline constexpr std::uint32_t most_height = 4096;

// Parses an expression. Errors call the text `what`, such as "expression" or "--where".
result<expression> parse(std::string_view text, const scope& names, std::string_view what = "expression");

}  // namespace bankwise::expr
