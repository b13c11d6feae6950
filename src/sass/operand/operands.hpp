// The registers, predicates and barriers that an instruction reads and writes.
//
//     @P0 LDS.64 R4, [R2+UR6]     reads P0, R2, UR6; writes R4 and R5
//
// Registers at bit 16 and predicates at bits 81 and 84 are written, and all other operands are read. Marks in a row of
// opcodes.def are exceptions. A lane whose guard is false keeps its old values. The tests operands_of_... check these
// lists. They replace the values of all registers that an instruction does not read, and compare the registers that it
// does not write (emulate/decode/operand_check.hpp).
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
  bool is_address = false;  // for a memory instruction: true for parts of the address, false for the stored value
  // whether the operand is at the position of a result; if it is also read, the new value depends on the old value
  bool is_result = false;

  friend bool operator==(const operand&, const operand&) = default;
};

// Returns the operands in the order of the row, after the guard. RZ, URZ and PT are omitted. Returns nothing for an
// unknown instruction.
std::vector<operand> operands_of(const instruction& i);

unsigned words_of(width w, const instruction& i);

// A set of registers, predicates and barriers, by their numbers.
struct register_set {
  std::bitset<256> vector, uniform;
  std::bitset<8> predicates, uniform_predicates;
  std::bitset<32> barriers;  // B0 to B15, then the special barriers
  std::bitset<2> call;       // the two halves of the return address, Rpc

  void add_operand(const operand& o);
  friend bool operator==(const register_set&, const register_set&) = default;
};
// Whether the sets have a register or a predicate in common. Barriers and return addresses are not compared.
bool overlap(const register_set& a, const register_set& b);
// Adds the registers and predicates of `more`, without barriers and return addresses.
void join(register_set& to, const register_set& more);
// Removes the registers and predicates of `others`.
void remove(register_set& from, const register_set& others);

struct reads_and_writes {
  register_set reads, writes;
};
reads_and_writes reads_and_writes_of(const instruction& i);

}  // namespace bankwise::sass
