// One 128-bit machine instruction and the fields that almost all of them share.
//
//     127      105       91     81    72     64        32        24      16   15 14:12     11:0
//      | schedule | ... | preds | modifiers | R c | R b or imm | R a | R dst | ! | guard | opcode |
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sass/opcode.hpp"

namespace bankwise::sass {

using cubin::instruction_bytes;
inline constexpr unsigned register_zero = 255;          // RZ reads as zero and ignores writes
inline constexpr unsigned uniform_register_zero = 255;  // URZ, however many bits its number has
inline constexpr unsigned predicate_true = 7;           // PT

struct instruction {
  std::uint64_t low = 0, high = 0;
  isa set = isa::hopper;

  // Bits [first, first + count), count at most 64.
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

  // The number of a uniform register.
  unsigned uniform(unsigned first) const {
    const unsigned width = traits_of(set).uniform_bits;
    const auto n = static_cast<unsigned>(bits(first, width));
    return n == (1u << width) - 1 ? uniform_register_zero : n;
  }
  // The distance of a branch or call, in words of 4 bytes.
  std::int64_t distance() const {
    const std::int64_t words = signed_bits(34, 48);
    return traits_of(set).low_byte_apart ? words * 256 + static_cast<std::int64_t>(bits(16, 8)) : words;
  }
  unsigned guard() const { return static_cast<unsigned>(bits(12, 3)); }
  bool guard_negated() const { return bit(15); }

  friend bool operator==(const instruction&, const instruction&) = default;
};

// Does nothing, always.
inline bool is_nop(const instruction& i) {
  const opcode_info* info = i.info();
  return info != nullptr && info->op == opcode::NOP && i.guard() == predicate_true && !i.guard_negated();
}

// From the 16 bytes of the code section.
inline instruction load_instruction(const std::byte* bytes, isa set = isa::hopper) {
  instruction i;
  i.set = set;
  std::memcpy(&i.low, bytes, 8);
  std::memcpy(&i.high, bytes + 8, 8);
  return i;
}

// Where the second and third operand of an ALU row come from: bits 9-11.
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

// Of a warp group's product: A comes from registers, and not from shared memory.
inline bool group_has_a_in_registers(const instruction& i) { return form_of(i) == alu_form::b_uniform; }

// N of a warp group's 64 x N x K.
inline unsigned warp_group_columns(const instruction& i, opcode op) {
  // Integers and bits have 8, 16, 24, 32, and then only multiples of 16.
  const auto listed = [](unsigned index) { return index < 3 ? 8 * (index + 1) : 16 * (index - 1); };
  if (op == opcode::IGMMA) return listed(static_cast<unsigned>(i.bits(53, 6)) / 3);
  const auto n = static_cast<unsigned>(i.bits(53, 5));
  return op == opcode::BGMMA ? listed(n) : 8 * (n + 1);
}

}  // namespace bankwise::sass
