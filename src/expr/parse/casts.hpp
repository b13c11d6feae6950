// Casts: of numbers, which C's rules truncate to their type, and of pointers, which change the width of an access.
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

// Includes the structures that the user declared.
std::optional<element_type> find_named_type(const parser& p, std::string_view name);

// If ( does not open a cast, returns nothing and does not move.
std::optional<operand> parse_c_cast(parser& p);

// Reads the part after reinterpret_cast or static_cast.
operand parse_named_cast(parser& p, std::size_t at);

operand cast_operand(parser& p, const cast_type& to, operand o, std::size_t at);

// Reads the part after sizeof.
operand parse_size_of(parser& p, std::size_t at);

// Nothing if the word is not such a macro.
std::optional<operand> parse_vector_macro(parser& p, std::size_t at, std::string_view word);

}  // namespace bankwise::expr
