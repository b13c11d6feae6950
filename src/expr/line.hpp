// A line of a kernel, and its accesses to shared memory.
//
//     if (tx < 16) s[tx] += s[tx + 16];      in lanes with tx < 16: ld s[tx + 16], ld s[tx], st s[tx]
//     atomicAdd(&bins[b], 1); atom.add bins[b] with the constant operand 1, whose result is not used
//     t * 128                                not an access, but a byte address
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/expression.hpp"

namespace bankwise::expr {

// Facts that determine the instruction that a compiler uses for an atomic function.
struct atomic_use {
  std::optional<std::int64_t> constant = {};  // the operand, if it is a constant
  bool same_in_all_lanes = false;             // the operand is a constant, or its name looks like a parameter
  bool result_used = false;
  bool is_function = false;  // the line calls an atomic function of CUDA
};

struct line_access {
  expression address;
  std::string op;    // "ld", "st", "atom.add"; empty for an element without an operation, which --op then sets
  std::string text;  // the access as written in the line
  atomic_use atomic;
};

struct line {
  std::vector<line_access> accesses;  // in the order of their execution
  std::optional<expression> number;   // a byte address, if the line has no access
  std::optional<expression> where;    // the condition of `if (...)`
  bool uses_block_index = false;      // the line uses blockIdx, which is 0 because --let does not set it
};

// The result does not refer to `names`: expressions copy what they need.
result<line> parse_line(std::string_view text, const scope& names, std::string_view what = "expression");

}  // namespace bankwise::expr
