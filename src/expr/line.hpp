// A line of a kernel, and its accesses to shared memory.
//
//     if (tx < 16) s[tx] += s[tx + 16];      where tx < 16: ld s[tx + 16], ld s[tx], st s[tx]
//     atomicAdd(&bins[b], 1); atom.add bins[b] with the constant operand 1, whose result is not used
//     t * 128                                no access by itself: a byte address
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/expression.hpp"

namespace bankwise::expr {

// The facts that determine which instruction a compiler uses for an atomic function.
struct atomic_use {
  std::optional<std::int64_t> constant = {};  // the operand, if it is a constant
  bool same_in_all_lanes = false;             // a constant, or a name that looks like a parameter
  bool result_used = false;
  bool is_function = false;  // an atomic function of CUDA
};

struct line_access {
  expression address;
  std::string op;    // "ld", "st", "atom.add"; empty if it is only an element, whose operation --op sets
  std::string text;  // the part of the line
  atomic_use atomic;
};

struct line {
  std::vector<line_access> accesses;  // in the order in which they are made
  std::optional<expression> number;   // a byte address, if there is no access
  std::optional<expression> where;    // of `if (...)`
  bool uses_block_index = false;      // blockIdx is used, and is 0 because --let does not set it
};

// `names` need not outlive the result, because expressions copy the parts that they need.
result<line> parse_line(std::string_view text, const scope& names, std::string_view what = "expression");

}  // namespace bankwise::expr
