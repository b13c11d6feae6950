// What counts depend on: the inputs of an instruction's addresses, and instructions whose meaning nobody measured.
//
//     data (address), blockIdx (execution)
//     56 of 58 instructions behave as measured on a GPU, FADD2 as documented; no count depends on it
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// The inputs in words: "data (address), blockIdx, arguments (execution)" or "only the shape of the launch". Empty if
// unknown.
std::string dependences_text(const site& s);

// A sentence like "all 58 instructions behave as measured on a GPU". Empty if nothing is known about the instructions.
std::string meaning_sentence(const code_meaning& m);

}  // namespace bankwise
