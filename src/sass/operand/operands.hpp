// The registers, predicates and barriers that an instruction reads and writes, and how many of each.
//
//     @P0 LDS.64 R4, [R2+UR6]     reads P0, R2, UR6; writes R4 and R5
//
// They follow from the roles in opcodes.def: results are at bits 16, 81 and 84, and everything else is read, unless the
// row says otherwise. A lane whose guard is false keeps its old values. To test this, operands_test executes every
// instruction with everything else hidden, and checks that nothing else has changed.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "sass/row.hpp"

namespace bankwise::sass {

struct operand {
  sass::file file = file::none;
  sass::role role = role::read;
  std::uint16_t first = 0;  // number of the first register, predicate or barrier
  std::uint16_t count = 1;
  bool is_address = false;  // for memory instructions: true for parts of the address, false for the stored value
  bool is_result = false;   // positions of results: a result that is read is part of its own new value

  friend bool operator==(const operand&, const operand&) = default;
};

// The operands in the order of the row, the guard first. RZ, URZ and PT are omitted. Nothing for an unknown
// instruction.
std::vector<operand> operands_of(const instruction& i);

// The number of registers of an operand with this width.
unsigned words_of(width w, const instruction& i);

// Sets of registers, predicates and barriers, by number.
struct register_set {
  std::bitset<256> vector, uniform;
  std::bitset<8> predicates, uniform_predicates;
  std::bitset<32> barriers;  // B0-B15, then the special ones
  std::bitset<2> call;       // the two halves of the return address, Rpc

  void add_operand(const operand& o);
  friend bool operator==(const register_set&, const register_set&) = default;
};
struct reads_and_writes {
  register_set reads, writes;
};
reads_and_writes reads_and_writes_of(const instruction& i);

}  // namespace bankwise::sass
