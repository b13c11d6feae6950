// The instruction sets that use the table of opcodes.def, and the differences between them.
#pragma once

#include <cstdint>

#include "cubin/architectures.hpp"

namespace bankwise::sass {

using isa = cubin::instruction_set;
inline constexpr auto isa_count = static_cast<unsigned>(isa::none);

// Facts about each instruction set. They were found by compiling the same programs for each set; they agree with Mesa's
// NAK where NAK has them.
struct isa_traits {
  std::uint8_t uniform_bits;  // bits of a uniform register's number; a number of all ones is URZ
  bool low_byte_apart;        // the low byte of a branch's distance is at bit 16
  // the memory order is a scope at bit 77 and a strength at bit 79; otherwise it is a single number at bit 77
  bool split_order;
  bool warpsync_names_lanes;  // WARPSYNC has a mask of lanes at bit 32; otherwise it applies to all lanes
  bool float_atomics_typed;   // the type of an atomic has F32; otherwise float atomics are separate opcodes
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

// The instruction set of sm_<number>; if it is unknown, that of the closest older architecture.
inline isa isa_of(std::uint32_t sm) { return cubin::set_of(sm); }

}  // namespace bankwise::sass
