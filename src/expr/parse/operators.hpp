// Parses operators with their precedence.
//
//     t < 16 ? s[t] : s[0]      parse_ternary
//     t * 33 + (t >> 2)         binary operators, by precedence
//     -t, &s[t], *p             parse_unary
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

// Parses a whole expression, from the parser's position on.
operand parse_ternary(parser& p);

operand add_to_pointer(parser& p, const operand& pointer, const operand& n, bool minus, std::size_t at);

// Reads one operand, including its prefix operators.
operand parse_unary(parser& p);

// Fails if any text remains after the expression.
void refuse_rest(parser& p);

}  // namespace bankwise::expr
