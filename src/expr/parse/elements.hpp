// Elements of arrays, members of structs, components of vectors, and pointers to them.
//
//     tile[row][column]     p[i].x     &s[t]     *p
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

// An element used in arithmetic. In an expression, its value would be its address, which is almost never intended; in a
// line, it is loaded.
operand number_only(parser& p, operand o);

// The node of a number for an address; an error if its value is unknown.
std::uint32_t index_node(parser& p, const operand& given);

// Reads the indices of the array whose name was read, if they are in round brackets.
operand array_element(parser& p, const array_decl& array, std::size_t at);

// Reads indices, members and calls after an operand.
operand parse_postfix(parser& p, operand o);

// Turns the name of an array, or a row of it, into the address of its first element.
operand as_pointer(operand o);

// &o and *o.
operand address_of(parser& p, operand o, std::size_t at);
operand dereferenced(parser& p, operand o, std::size_t at);

// The node of the address, with the width of its access.
std::uint32_t access_node(parser& p, const operand& o);

}  // namespace bankwise::expr
