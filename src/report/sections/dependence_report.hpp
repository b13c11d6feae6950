// What counts depend on, in words: the inputs of an instruction's addresses, and instructions whose meaning nobody
// measured.
//
//     data (address), blockIdx (execution)
//     56 of 58 instructions behave as measured on a GPU, FADD2 as documented; no count depends on it
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// "data (address), blockIdx, arguments (execution)", "only the shape of the launch"; empty if unknown.
std::string dependences_text(const site& s);

// "all 58 instructions behave as measured on a GPU", or as above. Empty if nothing is known.
std::string meaning_sentence(const code_meaning& m);

}  // namespace bankwise
