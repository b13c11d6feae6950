// What counts depend on: the inputs of an instruction's addresses, and instructions whose meaning was not measured.
//
//     data (address), blockIdx (execution)
//     56 of 58 instructions behave as measured on a GPU, FADD2 as documented; no count depends on the unmeasured
//     instruction
#pragma once

#include <string>

#include "model/report.hpp"

namespace bankwise {

// Returns the inputs as a phrase: "data (address), blockIdx, arguments (execution)" or "only the shape of the launch".
// Returns an empty string if the inputs are unknown.
std::string dependences_text(const site& s);

// Returns a sentence such as "all 58 instructions behave as measured on a GPU". Returns an empty string if nothing is
// known about the instructions.
std::string meaning_sentence(const code_meaning& m);

}  // namespace bankwise
