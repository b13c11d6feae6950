// The rows of opcodes.def. A row describes the instruction of a bit pattern: its kind and its spelling.
//
//     OP(LDS, 0x984, reads(shared), "LDS{%mem_size:73:3} {R16*size}, {[shared_load]}")
//         |     |         |              |
//      opcode  bits     traits         format: the spelling and every field, with its position (row.hpp)
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sass/isa.hpp"

namespace bankwise::sass {

enum class opcode : std::uint16_t {
#define ALU_IN(first, last, name, bits, traits, format) name,
#define OP_IN(first, last, name, bits, traits, format) name,
#define ALSO_ALU_IN(first, last, name, bits, format)
#define ALSO_OP_IN(first, last, name, bits, format)
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN
  count,
};

// The unit of a multiprocessor that executes an instruction.
enum class unit : std::uint8_t {
  lanes,  // the arithmetic units, which process 32 lanes
  // the uniform datapath, which executes an instruction once for the warp; the guard is a uniform predicate
  uniform,
  tensor,        // tensor cores, for fragments in registers
  memory,        // loads, stores, atomics: each lane has an address
  asynchronous,  // asynchronous operations: copies, mbarriers, products of warp groups
  control,
  texture,
};

// Address spaces that an instruction may touch, as a set.
enum class space : std::uint8_t {
  none = 0,
  shared = 1,
  global = 2,
  local = 4,
  constant = 8,
  tensor_memory = 16,  // of sm_100
  generic = shared | global | local,
};
constexpr space operator|(space a, space b) {
  return static_cast<space>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool touches(space all, space one) { return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0; }

// How an instruction accesses the address spaces that it touches.
enum class action : std::uint8_t { none, load, store, update, copy, other };

// Where the lanes of an instruction continue.
enum class flow : std::uint8_t {
  next,
  // lanes continue at the next instruction, perhaps after they have waited for other lanes or let other lanes run
  meets,
  ends,      // some lanes continue elsewhere, or end
  anywhere,  // lanes continue at a computed address
};

struct opcode_traits {
  sass::unit unit = unit::lanes;
  sass::space space = space::none;
  sass::action action = action::none;
  sass::flow flow = flow::next;
  bool names_place = false;       // whether the instruction contains an address in the code
  bool calls_or_returns = false;  // whether lanes leave the function or return to it
  // for the uniform datapath: the opcode of the same operation on lanes
  opcode twin = opcode::count;
};

struct opcode_info {
  opcode op;
  bool alu;            // whether bits 9-11 select the form of the operands
  std::uint16_t bits;  // bits 0-8 for an ALU row, bits 0-11 for other rows
  const char* format;  // the text in opcodes.def
  isa first, last;     // the first and the last instruction set with this row
};

// The row for bits 0-11 of an instruction. Null if there is no such row.
const opcode_info* find_opcode(unsigned bits, isa set = isa::hopper);
// Returns the PTX name of an encoding without a row. Returns an empty text if the name is unknown.
std::string_view ptx_name(unsigned bits, isa set);
// Return the first row of an opcode, and the traits of this row.
const opcode_info& info_of(opcode op);
const opcode_traits& traits_of(opcode op);
std::span<const opcode_info> all_rows();

// Whether the guard of the instruction is a uniform predicate.
inline bool has_uniform_guard(opcode op) { return traits_of(op).unit == unit::uniform; }
// Whether the instruction accesses shared memory, possibly through a generic address.
inline bool may_touch_shared(opcode op) { return touches(traits_of(op).space, space::shared); }
inline bool is_generic(opcode op) { return traits_of(op).space == space::generic; }

// Returns the spelling up to the first modifier, such as "LDS" or "IMAD".
std::string_view mnemonic(const opcode_info& info);

}  // namespace bankwise::sass
