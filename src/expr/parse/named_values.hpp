// Numbers, names and functions. The kernels' names for a lane, a warp or a thread are in a table.
//
//     0x1f     lane     threadIdx.x     min(t, 4)     __cvta_generic_to_shared(p)
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

operand parse_literal(parser& p);

// Reads the part between ( and ).
std::vector<operand> parse_arguments(parser& p);

operand parse_name(parser& p);

}  // namespace bankwise::expr
