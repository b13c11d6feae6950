// A line of a kernel, and the accesses of this line to shared memory.
//
//     if (tx < 16) s[tx] += s[tx + 16];      in lanes with tx < 16: ld s[tx + 16], ld s[tx], st s[tx]
//     atomicAdd(&bins[b], 1);                atom.add bins[b], with the constant operand 1 and an unused result
//     t * 128                                not an access, but a byte address
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/parse/expression.hpp"

namespace bankwise::expr {

// Facts about a call of an atomic function. They determine which instruction a compiler uses.
struct atomic_use {
  std::optional<std::int64_t> constant = {};
  // whether the operand is a constant, or has a name that looks like a parameter
  bool same_in_all_lanes = false;
  bool result_used = false;
  bool is_function = false;  // whether the line calls an atomic function of CUDA
};

struct line_access {
  expression address;
  // "ld", "st", "atom.add"; if empty, this is an element without an operation, and --op sets the operation
  std::string op;
  std::string text;  // the access as written in the line
  atomic_use atomic;
};

struct line {
  std::vector<line_access> accesses;  // accesses in the order of their execution
  std::optional<expression> number;   // a byte address if the line has no access
  std::optional<expression> where;    // the condition of `if (...)`
  bool uses_block_index = false;      // whether the line uses blockIdx, which is 0 because --let does not set it
};

// Parses a line. The result does not refer to `names`, because expressions copy what they need.
result<line> parse_line(std::string_view text, const scope& names, std::string_view what = "expression");

}  // namespace bankwise::expr
