// Parses numbers, names and functions. A table contains the names that kernels use for a lane, a warp or a thread.
//
//     0x1f     lane     threadIdx.x     min(t, 4)     __cvta_generic_to_shared(p)
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

operand parse_literal(parser& p);

// Reads the arguments between the parentheses.
std::vector<operand> parse_arguments(parser& p);

operand parse_name(parser& p);

// Whether kernels use this name for a lane, a warp or a thread.
bool is_machine_name(std::string_view word);

}  // namespace bankwise::expr
