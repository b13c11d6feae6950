// The facts about each compute capability that are not in its bank rule (bankwise/arch.hpp) or its features
// (bankwise/ability.hpp): one row for its instruction set, its multiprocessor and the GPU that represents it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bankwise/arch.hpp"

namespace bankwise::cubin {

// The instruction sets that bankwise knows. src/sass/isa.hpp has their differences.
enum class instruction_set : std::uint8_t {
  turing,     // sm_75
  ampere,     // sm_80 to sm_87
  ada,        // sm_89
  hopper,     // sm_90
  blackwell,  // sm_100 to sm_110
  rtx,        // sm_120 and sm_121, the Blackwell of graphics cards
  none,       // bankwise executes no code for it
};

inline constexpr std::uint32_t instruction_bytes = 16;  // units of each kind

// One multiprocessor. Sizes of shared memory are in bytes.
struct multiprocessor {
  std::string_view name;             // "sm_90"
  std::uint32_t warps;               // resident, with 32 threads each
  std::uint32_t blocks;              // resident
  std::uint32_t registers;           // of the multiprocessor
  std::uint32_t registers_a_block;   // at most
  std::uint32_t registers_a_thread;  // at most
  std::uint32_t register_unit;       // the registers of a warp are rounded up to a multiple of it
  // parts with equal numbers of registers; a warp gets its registers from one of them
  std::uint32_t partitions;
  // the number of warps is rounded up to a multiple of it before the registers of a launch are checked
  std::uint32_t checked_partitions;
  std::uint32_t shared;                // of the multiprocessor
  std::uint32_t shared_a_block;        // at most, for any kernel
  std::uint32_t shared_a_block_optin;  // the limit for a kernel that has requested more (cudaFuncSetAttribute)
  std::uint32_t shared_unit;           // a block's shared memory is rounded up to a multiple of it
  std::uint32_t shared_reserved;       // of every block, used by the system; not included in the two limits above
};

// A real GPU: the one that programs see. Sizes and clocks come from its data sheet.
struct board {
  std::string_view name;  // empty if no code is executed for it
  std::uint32_t multiprocessors;
  int clock_kilohertz, memory_kilohertz, memory_bits;
  int l2_bytes;
  int single_to_double;  // how many times as fast float is as double
  bool integrated;       // it shares the memory of the machine
};

struct architecture {
  std::uint32_t sm;  // 90
  instruction_set set;
  multiprocessor one;
  board gpu;
};

// All rows, by compute capability.
std::span<const architecture> architectures();
// Null if it is unknown.
const architecture* find_architecture(std::uint32_t sm);
const architecture* find_architecture(std::string_view name);  // "sm_90", "sm_90a", "sm_35.8"

// Whether code for sm_<number> is executed, and the list of all such architectures: "sm_75, sm_80, ...".
bool is_executed(std::uint32_t sm);
std::string_view executed_list();

// Multiprocessors of the GPU that represents sm_<number>. For an unknown architecture, those of an H200.
std::uint32_t multiprocessors_of(std::uint32_t sm);
// The instruction set of sm_<number>. For an unknown architecture, that of the next older one.
instruction_set set_of(std::uint32_t sm);

}  // namespace bankwise::cubin
