// The instruction sets that share the table of opcodes.def, and what differs between them.
#pragma once

#include <cstdint>

#include "cubin/architectures.hpp"

namespace bankwise::sass {

using isa = cubin::instruction_set;
inline constexpr auto isa_count = static_cast<unsigned>(isa::none);

// Facts for each instruction set. Found by compiling the same programs for each; Mesa's NAK agrees if it has them.
struct isa_traits {
  std::uint8_t uniform_bits;  // bits of a uniform register's number; if all are one, it is URZ
  bool low_byte_apart;        // the low byte of a branch's distance is at bit 16
  bool split_order;           // memory order is a scope at 77 and a strength at 79, not one number at 77
  bool warpsync_names_lanes;  // WARPSYNC has a mask of lanes at 32; otherwise it is for all lanes
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

// The instruction set of sm_<number>: the next older one that is known.
inline isa isa_of(std::uint32_t sm) { return cubin::set_of(sm); }

}  // namespace bankwise::sass
