// Which instructions can read the index of their block, and how each passes the dependence on blockIdx to its results:
// block_class.hpp follows them while a block runs.
//
//     S2UR UR4, SR_CTAID.X                       axis
//     IMAD R2, UR4, 0x80, R0                     linear
//     LDS R4, [R6]                               none: R6 does not depend on blockIdx
//     ISETP.GE.AND P0, PT, R2, c[0x0][0x218]     compares
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow/code_flow.hpp"
#include "sass/flow/slice.hpp"

namespace bankwise::emulate {

enum class block_flow : std::uint8_t {
  none,      // it is not followed
  axis,      // it reads one axis of the index
  place,     // it reads where the block runs
  linear,    // results are linear if the operands are
  part,      // carries, upper words, and all other arithmetic: a use restricts the class to equal blockIdx
  monotone,  // constant over a range
  bits,      // constant while some bits of the operand are
  compares,
  words,    // of 64 bits: each word is copied separately
  spills,   // copies between registers and the stack
  generic,  // if it accesses global memory, the address does not matter
  copies,   // cp.async: only the offset of its source in a line matters
  places,   // only reported, with the part of its global addresses that depends on blockIdx
  bulk,     // bulk copies: their address in global memory does not matter
  other,
};

// A followed instruction, with the registers and predicates that it names.
struct followed {
  struct place {
    sass::file file = sass::file::none;
    std::uint16_t number = 0;
  };
  block_flow how = block_flow::none;
  std::uint8_t axis = 0;
  bool runs_unguarded = false;  // micro_op::always
  bool by_itself = false;       // guarded, and each lane executes it for itself (flow_node::under)
  std::vector<place> reads, writes;
};
// By instruction of the section. Empty if nothing needed depends on the block.
std::vector<followed> followed_instructions(const sass::code_flow& code, const sass::slice& needed);

// For an instruction of the uniform datapath, the instruction that does the same on every lane; otherwise the opcode
// itself.
sass::opcode vector_form(sass::opcode op);

}  // namespace bankwise::emulate
