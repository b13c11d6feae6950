// How often the hardware issues an instruction, as its counter of executed instructions (smsp__inst_executed) shows.
// Nsight Compute's source page counts each execution once.
#pragma once

#include "sass/opcode.hpp"

namespace bankwise::sass {

// A branch to an address in a register (BRX), as in the tables of a switch, is issued twice.
inline unsigned issues_of(opcode op) { return traits_of(op).flow == flow::anywhere ? 2 : 1; }

}  // namespace bankwise::sass
