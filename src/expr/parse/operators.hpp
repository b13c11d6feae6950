// Operators and their precedence.
//
//     t < 16 ? s[t] : s[0]      parse_ternary
//     t * 33 + (t >> 2)         operators that bind tighter than others
//     -t, &s[t], *p             parse_unary
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

// Parses a whole expression, from the parser's position on.
operand parse_ternary(parser& p);

// Pointer arithmetic as in C: n elements further.
operand add_to_pointer(parser& p, const operand& pointer, const operand& n, bool minus, std::size_t at);

// Reads one operand with its prefixes.
operand parse_unary(parser& p);

// Fails if text is left after a whole expression.
void refuse_rest(parser& p);

}  // namespace bankwise::expr
