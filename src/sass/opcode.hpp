// The rows of opcodes.def: which instruction a bit pattern is, what kind of instruction that is, and how it is spelled.
//
//     OP(LDS, 0x984, reads(shared), "LDS{%mem_size:73:3} {R16*size}, {[shared_load]}")
//         |     |         |              |
//      opcode  bits     traits         format: the spelling and every field, with its place (row.hpp)
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

// The part of a multiprocessor that executes an instruction.
enum class unit : std::uint8_t {
  lanes,         // the arithmetic units, for 32 lanes
  uniform,       // the uniform datapath: executed once for the warp, with a uniform predicate as its guard
  tensor,        // tensor cores, on fragments in registers
  memory,        // loads, stores, atomics: each lane has an address
  asynchronous,  // asynchronous operations: copies, mbarriers, warp-group products
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

// Its effect there.
enum class action : std::uint8_t { none, load, store, update, copy, other };

// Where the lanes of an instruction continue.
enum class flow : std::uint8_t {
  next,
  meets,     // at the next instruction, but they may wait for other lanes here or release them
  ends,      // some lanes continue elsewhere, or end
  anywhere,  // at an address that is computed
};

struct opcode_traits {
  sass::unit unit = unit::lanes;
  sass::space space = space::none;
  sass::action action = action::none;
  sass::flow flow = flow::next;
  bool names_place = false;       // contains an address in the code
  bool calls_or_returns = false;  // lanes leave the function or return to it
  // for an instruction of the uniform datapath: the opcode that does the same on each lane
  opcode twin = opcode::count;
};

struct opcode_info {
  opcode op;
  bool alu;            // bits 9-11 choose the form of the operands
  std::uint16_t bits;  // 9 bits for an ALU row, otherwise 12
  const char* format;  // opcodes.def
  isa first, last;     // the first and the last instruction set that has it
};

// The row for bits 0-11 of an instruction, or null.
const opcode_info* find_opcode(unsigned bits, isa set = isa::hopper);
// The PTX name of an encoding that has no row; empty if unknown.
std::string_view ptx_name(unsigned bits, isa set);
// The first row of an opcode.
const opcode_info& info_of(opcode op);
const opcode_traits& traits_of(opcode op);
// All rows, in the order of the file.
std::span<const opcode_info> all_rows();

// Whether its guard is a uniform predicate, which is true of the uniform datapath's instructions.
inline bool has_uniform_guard(opcode op) { return traits_of(op).unit == unit::uniform; }
// Whether it accesses shared memory, or may do so through a generic address.
inline bool may_touch_shared(opcode op) { return touches(traits_of(op).space, space::shared); }
inline bool is_generic(opcode op) { return traits_of(op).space == space::generic; }

// "LDS", "IMAD": the spelling up to the first modifier.
std::string_view mnemonic(const opcode_info& info);

}  // namespace bankwise::sass
