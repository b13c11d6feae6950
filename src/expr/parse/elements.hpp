// Parses elements of arrays, members of structs, components of vectors, and pointers to them:
//
//     tile[row][column]     p[i].x     &s[t]     *p
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

// Handles an element that is used in arithmetic. In a line of a kernel, the element is loaded. In an expression, this
// is an error, because the element's address would be used as a number. Users almost never intend this.
operand number_only(parser& p, operand o);

// Returns the node of a number that is part of an address. Fails if the value is unknown.
std::uint32_t index_node(parser& p, const operand& given);

// Reads the indices of an array in round brackets. The parser's position must be after the name of the array.
operand array_element(parser& p, const array_decl& array, std::size_t at);

// Reads the indices, members and calls that follow an operand.
operand parse_postfix(parser& p, operand o);

// Converts the name of an array, or a row of an array, to the address of its first element.
operand as_pointer(operand o);

// Handle the operators &o and *o.
operand address_of(parser& p, operand o, std::size_t at);
operand dereferenced(parser& p, operand o, std::size_t at);

std::uint32_t access_node(parser& p, const operand& o);

}  // namespace bankwise::expr
