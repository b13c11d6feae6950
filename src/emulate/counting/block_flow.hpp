// Finds the instructions that depend on blockIdx, and how each instruction passes this dependence to its results. While
// a block runs, block_class.hpp follows these instructions.
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
  none,
  axis,
  place,   // reads a special register that depends on where the block runs
  linear,  // the results are linear if the operands are linear
  // carries, upper words, and all other arithmetic: a use of the result reduces the class to blocks with equal blockIdx
  part,
  monotone,  // the result is constant over a range of the operand
  bits,      // the result is constant as long as some bits of the operand are constant
  compares,
  words,    // copies 64 bits, each word separately
  spills,   // copies between registers and the stack
  generic,  // generic access: an address in global memory does not matter
  copies,   // cp.async: only the source's offset in its cache line matters
  places,   // only addresses in global memory are reported, together with their dependence on blockIdx
  bulk,     // bulk copies: the address in global memory does not matter
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
  bool runs_unguarded = false;  // copy of micro_op::always
  // whether the instruction is guarded and its lanes are independent of each other (flow_node::under)
  bool by_itself = false;
  std::vector<place> reads, writes;
};
// One element for each instruction of the section. Empty if no needed value depends on the block.
std::vector<followed> followed_instructions(const sass::code_flow& code, const sass::slice& needed);

// Returns the lane opcode that corresponds to an opcode of the uniform datapath. Returns other opcodes unchanged.
sass::opcode vector_form(sass::opcode op);

}  // namespace bankwise::emulate
