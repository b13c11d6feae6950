// Parses casts of numbers and of pointers. A cast of a number truncates the number to the type, as in C. A cast of a
// pointer changes the width of an access:
//
//     *(float4*)&s[t * 4]      reinterpret_cast<float4*>(s)[t]      FLOAT4(s[t * 4])      16 bytes at byte t * 16
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

struct cast_type {
  std::optional<element_type> type;
  std::string name;
  int stars = 0;
};

// Finds a CUDA type or a struct that the user declared.
std::optional<element_type> find_named_type(const parser& p, std::string_view name);

// Reads a cast in parentheses. If the parenthesis does not begin a cast, returns nothing and does not change the
// position.
std::optional<operand> parse_c_cast(parser& p);

// Reads the text after reinterpret_cast or static_cast.
operand parse_named_cast(parser& p, std::size_t at);

operand cast_operand(parser& p, const cast_type& to, operand o, std::size_t at);

// Reads the text after sizeof.
operand parse_size_of(parser& p, std::size_t at);

// Reads a macro such as FLOAT4(x). Returns nothing if the word is not such a macro.
std::optional<operand> parse_vector_macro(parser& p, std::size_t at, std::string_view word);

}  // namespace bankwise::expr
