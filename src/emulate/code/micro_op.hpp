// The positions of the operands and the modifiers of an instruction, decoded and prepared for its handler.
//
//     FFMA R0, R1, c[0x0][0x160], R2      run = ffma, d = row 0, a = row 1, b = the constant in 32 lanes, c = row 2
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulate/code/register_rows.hpp"
#include "sass/fields/fields.hpp"
#include "sass/instruction.hpp"

namespace bankwise::emulate {

enum class source_kind : std::uint8_t { reg, constant, uniform };

// The source of an operand's 32 lanes: a register row, an immediate or a constant that is already copied to all lanes,
// or a uniform register that is copied when it is read.
struct source {
  source_kind kind = source_kind::reg;
  std::uint16_t index = zero_row;
  const std::uint32_t* lanes = nullptr;  // for a constant or an immediate: its value in 32 lanes
};

struct worker;
struct micro_op;
enum class step : std::uint8_t {
  next,
  jumped,  // the path continues at its pc
  moved,   // the path waits or has ended, or other paths became ready; the warp must choose a path
  again,   // not executed: the warp yields first, and then executes the instruction
  fault,
};
using handler = step (*)(worker&, const micro_op&, std::uint32_t mask);

struct micro_op {
  handler run = nullptr;
  std::uint8_t guard = 7;
  bool uniform_guard = false;
  // whether the instruction runs even if the guard is false in all lanes, because listeners also count such accesses
  bool always = false;
  bool uniform_wide = false;
  bool only_told = false;        // for an access to global memory or the stack: whether only the addresses are needed
  std::uint32_t guard_flip = 0;  // all ones if the guard is negated
  std::uint32_t index = 0;       // index of the instruction in its code section
  std::uint32_t memo = 0;  // for a load or store of shared memory: its number among the loads and stores of its section
  sass::opcode op = sass::opcode::NOP;
  std::uint16_t d = trash_row;  // destination row, and row of the upper word of the destination
  std::uint16_t d_high = trash_row;
  std::uint8_t p0 = 7, p1 = 7;          // destination predicates
  std::uint8_t q0 = 7, q1 = 7, q2 = 7;  // source predicates
  std::uint8_t uniform_d = sass::uniform_register_zero;
  std::uint32_t q0_flip = 0;
  source a, b, c;  // operands
  // Masks for the sign and the absolute value of operands: value = (bits & keep) ^ flip.
  std::uint32_t keep_a = ~0u, flip_a = 0, keep_b = ~0u, flip_b = 0, keep_c = ~0u, flip_c = 0;
  sass::fields fields;
  source a_high, b_high, c_high;
  std::uint32_t q1_flip = 0, q2_flip = 0;
  std::uint64_t target = 0;
  // for an instruction of the uniform datapath: the handler of the same operation on lanes, whose result goes to
  // uniform_d
  handler vector = nullptr;
  handler checked = nullptr;  // the original handler, if `run` is a wrapper that calls it

  // The modifiers. T must be the type that fields_of() returns for this opcode.
  template <class T>
  const T& as() const {
    const T* const f = std::get_if<T>(&fields);
    if (f == nullptr) __builtin_unreachable();
    return *f;
  }
};

struct decoded_section {
  std::uint64_t begin = 0, end = 0;  // device addresses
  std::vector<micro_op> ops;
  std::span<const std::byte> code;
  sass::isa set = sass::isa::hopper;
  // number of executions of each instruction; null unless operands are checked
  std::unique_ptr<std::atomic<std::uint32_t>[]> checks;
  std::uint32_t memos = 0;  // number of loads and stores of shared memory
  // the code writes only registers below this number
  unsigned written_rows = 0;
  std::shared_ptr<class piece_table> pieces;  // compiled code; null if handlers execute everything
  // null if no turn of a warp ends at an instruction of the section (turn_ends.hpp)
  std::shared_ptr<const struct turn_ends> ends;
  // whether the code may both load and store shared memory between two barriers (turn_ends.hpp)
  bool mixes_accesses = true;
  bool takes_work = false;  // whether a loop takes work from a queue (sass/flow/work_queues.hpp)
  // null if the section has no competing instruction (competition.hpp)
  std::shared_ptr<const struct competing_code> competes;

  sass::instruction instruction_at(std::uint64_t index) const {
    return sass::load_instruction(code.data() + index * sass::instruction_bytes, set);
  }
};

// The row of result k of an instruction whose first result is in register r. Result k is in register r + k.
inline std::uint16_t written_row(unsigned r, unsigned k = 0) {
  return static_cast<std::uint16_t>(r == sass::register_zero || r + k >= sass::register_zero ? trash_row + k : r + k);
}
inline source register_source(unsigned r, unsigned k = 0) {
  return {source_kind::reg,
          static_cast<std::uint16_t>(r == sass::register_zero || r + k >= sass::register_zero ? zero_row : r + k)};
}

// Handlers, indexed by opcode. Null if an opcode is not implemented.
using handler_table = std::array<handler, static_cast<std::size_t>(sass::opcode::count)>;

}  // namespace bankwise::emulate
