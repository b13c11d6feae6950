// How the text of an index becomes part of a longer expression.
//
//     tx        ^ ty       tx ^ ty
//     x + 1     ^ y        (x + 1) ^ y
//     COL       + 1        (COL) + 1, after "#define COL a << 1"; COL + 1, after "#define COL (a << 1)"
//     i++ has a side effect, so it must not be written twice
#pragma once

#include <optional>
#include <string>

#include "source/reader.hpp"

namespace bankwise::source {

// Whether the text remains one operand next to any operator: a name, a number, something in brackets, threadIdx.x,
// a[i].
bool is_operand(const reader& r, token_range text);

// The text, in brackets if it needs them next to any operator.
std::string operand(const reader& r, token_range text);

// The text, in brackets if it needs them next to a + or -.
std::string summand(const reader& r, token_range text);

// The text as one argument of a call.
std::string argument(const reader& r, token_range text);

// Whether writing it twice has the same effect as writing it once. Macros are expanded.
bool repeats(const reader& r, token_range text);

}  // namespace bankwise::source
