// One 128-bit machine instruction, and the fields that almost all instructions share.
//
//     127      105       91     81    72     64        32        24      16   15 14:12     11:0
//      | schedule | ... | preds | modifiers | R c | R b or imm | R a | R dst | ! | guard | opcode |
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sass/opcode.hpp"

namespace bankwise::sass {

using cubin::instruction_bytes;
inline constexpr unsigned register_zero = 255;  // RZ: reads return zero, and writes have no effect
// number of URZ in every instruction set
inline constexpr unsigned uniform_register_zero = 255;
inline constexpr unsigned predicate_true = 7;  // PT

// The positions of operand registers: the result d, and the operands a, b and c.
namespace slot {
inline constexpr std::uint8_t d = 16, a = 24, b = 32, c = 64;
}

// Control bits (105 to 125). These bits determine when the warp may issue this instruction and later instructions.
struct schedule {
  unsigned stall = 0;      // number of clocks until the warp may issue its next instruction
  unsigned when_done = 7;  // the scoreboard that is released when the instruction has finished; 7 means no scoreboard
  // the scoreboard that is released when the instruction has read its registers; 7 means no scoreboard
  unsigned when_read = 7;
  unsigned waits = 0;  // mask of the scoreboards for which the instruction waits
  bool reuses_a = false, reuses_b = false, reuses_c = false;
};

struct instruction {
  std::uint64_t low = 0, high = 0;
  isa set = isa::hopper;

  // The bits [first, first + count). `count` is at most 64.
  std::uint64_t bits(unsigned first, unsigned count) const {
    const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    if (first >= 64) return high >> (first - 64) & mask;
    return (first == 0 ? low : low >> first | high << 1 << (63 - first)) & mask;
  }
  std::int64_t signed_bits(unsigned first, unsigned count) const {
    const std::uint64_t u = bits(first, count);
    const std::uint64_t sign = std::uint64_t{1} << (count - 1);
    return static_cast<std::int64_t>((u ^ sign) - sign);
  }
  bool bit(unsigned at) const { return bits(at, 1) != 0; }
  unsigned opcode_bits() const { return static_cast<unsigned>(low & 0xfff); }
  const opcode_info* info() const { return find_opcode(opcode_bits(), set); }

  // The number of a uniform register. Its field begins at bit `first`.
  unsigned uniform(unsigned first) const {
    const unsigned width = traits_of(set).uniform_bits;
    // The field at bit 60 (in QMMA.SF) has only three bits. The upper bits of the register number begin at bit 73.
    const auto n = static_cast<unsigned>(first == 60 ? bits(60, 3) | bits(73, 5) << 3 : bits(first, width));
    return n == (1u << width) - 1 ? uniform_register_zero : n;
  }
  // Returns the distance of a branch or call, in units of 4 bytes.
  std::int64_t distance() const {
    const std::int64_t words = signed_bits(34, 48);
    return traits_of(set).low_byte_apart ? words * 256 + static_cast<std::int64_t>(bits(16, 8)) : words;
  }
  sass::schedule schedule() const {
    const auto field = [&](unsigned first, unsigned count) { return static_cast<unsigned>(bits(first, count)); };
    return {field(105, 4), field(110, 3), field(113, 3), field(116, 6), bit(122), bit(123), bit(124)};
  }
  // Returns the two 32-bit words, at slots a and b, that may contain the address of an instruction.
  std::array<std::uint32_t, 2> possible_addresses() const {
    return {static_cast<std::uint32_t>(bits(slot::a, 32)), static_cast<std::uint32_t>(bits(slot::b, 32))};
  }
  unsigned guard() const { return static_cast<unsigned>(bits(12, 3)); }
  bool guard_negated() const { return bit(15); }

  friend bool operator==(const instruction&, const instruction&) = default;
};

// Whether the instruction never has an effect.
inline bool is_nop(const instruction& i) {
  const opcode_info* info = i.info();
  return info != nullptr && info->op == opcode::NOP && i.guard() == predicate_true && !i.guard_negated();
}

// Loads an instruction from 16 bytes of code.
inline instruction load_instruction(const std::byte* bytes, isa set = isa::hopper) {
  instruction i;
  i.set = set;
  std::memcpy(&i.low, bytes, 8);
  std::memcpy(&i.high, bytes + 8, 8);
  return i;
}

// The kinds of the second and third operand of an ALU row. Bits 9-11 select them.
enum class alu_form : std::uint8_t {
  b_reg_c_reg = 1,
  c_imm = 2,
  c_const = 3,
  b_imm = 4,
  b_const = 5,
  b_uniform = 6,
  c_uniform = 7,
};
inline alu_form form_of(const instruction& i) { return static_cast<alu_form>(i.bits(9, 3)); }

// For a product of a warp group: whether A is in registers. If not, A is in shared memory.
inline bool group_has_a_in_registers(const instruction& i) { return form_of(i) == alu_form::b_uniform; }

}  // namespace bankwise::sass
