// Makes the text of an index a part of a longer expression.
//
//     tx        ^ ty       tx ^ ty
//     x + 1     ^ y        (x + 1) ^ y
//     COL       + 1        (COL) + 1, after "#define COL a << 1"; COL + 1, after "#define COL (a << 1)"
//     i++                  has a side effect, so it must not be written twice
#pragma once

#include <optional>
#include <string>

#include "source/reader.hpp"

namespace bankwise::source {

// Whether the text is one operand next to any operator. Such a text is a name, a number, an expression in brackets,
// threadIdx.x, or a[i].
bool is_operand(const reader& r, token_range text);

// Returns the text. Adds brackets if the text is not a single operand.
std::string operand(const reader& r, token_range text);

// Returns the text. Adds brackets if they are necessary next to a + or -.
std::string summand(const reader& r, token_range text);

// Returns the argument list of a call whose only argument is the text.
std::string argument(const reader& r, token_range text);

// Whether the text has the same effect if it is written twice. Macros are expanded.
bool repeats(const reader& r, token_range text);

}  // namespace bankwise::source
