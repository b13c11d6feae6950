// The instruction sets that use the table of opcodes.def, and how they differ.
#pragma once

#include <cstdint>

#include "cubin/architectures.hpp"

namespace bankwise::sass {

using isa = cubin::instruction_set;
inline constexpr auto isa_count = static_cast<unsigned>(isa::none);

// Facts about an instruction set. The same programs were compiled for each instruction set to find these facts.
struct isa_traits {
  std::uint8_t uniform_bits;  // number of bits in a uniform register's index; an index of all ones means URZ
  bool low_byte_apart;        // whether the low byte of a branch's distance is at bit 16, separate from the other bits
  // whether a memory order has a scope at bit 77 and a strength at bit 79, instead of one number at bit 77
  bool split_order;
  bool warpsync_names_lanes;  // whether WARPSYNC has a mask of lanes at bit 32, instead of applying to all lanes
  // whether float atomics have the opcodes of integer atomics with another type, instead of their own opcodes
  bool float_atomics_typed;
};

// clang-format off
inline constexpr isa_traits isa_table[isa_count] = {
    {6, false, true,  true,  true},   // turing
    {6, false, false, true,  true},   // ampere
    {6, false, false, true,  true},   // ada
    {6, true,  false, false, false},  // hopper
    {8, true,  false, false, false},  // blackwell
    {8, true,  false, false, false},  // rtx
};
// clang-format on

constexpr const isa_traits& traits_of(isa set) { return isa_table[static_cast<unsigned>(set)]; }

// Returns the instruction set of sm_<number>. For an unknown number, returns the instruction set of the closest older
// architecture.
inline isa isa_of(std::uint32_t sm) { return cubin::set_of(sm); }

}  // namespace bankwise::sass
