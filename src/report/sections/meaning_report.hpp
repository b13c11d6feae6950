// The sentence about how well the meaning of a kernel's instructions is known.
#pragma once

#include <string>

#include "model/parts/code_meaning.hpp"

namespace bankwise {

// "all 58 instructions behave as measured on a GPU"; "56 of 58 instructions behave as measured on a GPU, FADD2 as
// documented; no count depends on it". Empty if nothing is known.
std::string meaning_sentence(const code_meaning& m);

}  // namespace bankwise
