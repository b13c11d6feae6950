// The instructions of a function and where lanes can go from each, with what they read and write.
//
//     0x00  S2R R0, SR_TID.X              next 0x10
//     0x10  ISETP.GE P0, PT, R0, 0x20     next 0x20
//     0x20  @P0 BRA 0x00                  next 0x00 and 0x30
//     0x30  EXIT
//
// What asks how values flow (slice.hpp, pointers.hpp) goes along these edges. A function returns to behind every call, and to
// every place of the code that stands as a number in an instruction: it returns to what a register has.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "sass/instruction.hpp"
#include "sass/operands.hpp"

namespace bankwise::sass {

// Registers, uniform ones, predicates, uniform ones, convergence barriers and the return address, one behind the other.
inline constexpr std::size_t place_count = 256 + 256 + 8 + 8 + 32 + 2;
using places = std::bitset<place_count>;
// The first place of a file of registers.
std::size_t first_place(file f);
void add(places& to, const operand& o);

struct flow_node {
  opcode op = opcode::NOP;
  opcode_traits traits;
  places reads;  // guard, address and the rest
  places data;   // what a store or an atomic puts into memory, which is not in `reads`
  places writes;
  places kept;         // of these: what may stay as it was
  bool kills = false;  // unguarded: what its registers had before is gone
  bool reached = false;
  bool leaves = false;                    // a call to what is not in this code: what follows is not known
  std::vector<std::uint32_t> next, from;  // by index
};

struct code_flow {
  std::vector<flow_node> nodes;      // by instruction of the section
  std::vector<std::uint32_t> order;  // those that are reached, by index
  // All places where lanes can go are known, but for calls out of it, and all instructions. Else nothing can be said of the code.
  bool complete = false;
  bool has_calls_out = false;  // some leave it
};

// Of the function that begins at byte `entry` of a section of code. `address`: of the section's first byte, as immediate
// addresses in the code have it.
code_flow flow_of_code(byte_span code, isa set, std::uint64_t entry, std::uint64_t address = 0);

}  // namespace bankwise::sass
