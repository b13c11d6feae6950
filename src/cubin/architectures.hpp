// Facts about each compute capability: its instruction set, its multiprocessor, and the GPU that represents it. The
// bank rules are in bankwise/arch.hpp, and the features are in bankwise/ability.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bankwise/arch.hpp"

namespace bankwise::cubin {

// The instruction sets that bankwise knows. src/sass/isa.hpp describes their differences.
enum class instruction_set : std::uint8_t {
  turing,     // sm_75
  ampere,     // sm_80 to sm_87
  ada,        // sm_89
  hopper,     // sm_90
  blackwell,  // sm_100 to sm_110
  rtx,        // sm_120 and sm_121, Blackwell graphics cards
  none,       // bankwise does not execute code of this instruction set
};

inline constexpr std::uint32_t instruction_bytes = 16;  // size of an instruction in every instruction set

// The limits of one multiprocessor. Sizes of shared memory are in bytes.
struct multiprocessor {
  std::string_view name;  // for example "sm_90"
  std::uint32_t warps;    // resident warps, each with 32 threads
  std::uint32_t blocks;   // resident blocks
  std::uint32_t registers;
  std::uint32_t registers_a_block;   // largest number of registers of a block
  std::uint32_t registers_a_thread;  // largest number of registers of a thread
  std::uint32_t register_unit;       // the registers of a warp are rounded up to a multiple of this number
  // number of partitions, which all have the same number of registers; a warp gets its registers from one partition
  std::uint32_t partitions;
  // the number of warps is rounded up to a multiple of this number before a launch's registers are checked
  std::uint32_t checked_partitions;
  std::uint32_t shared;
  std::uint32_t shared_a_block;  // largest shared memory of a block, for any kernel
  // largest shared memory of a block, for a kernel that has requested more (cudaFuncSetAttribute)
  std::uint32_t shared_a_block_optin;
  std::uint32_t shared_unit;  // a block's shared memory is rounded up to a multiple of this number
  // bytes of shared memory that the system reserves in every block; the two limits for a block exclude these bytes
  std::uint32_t shared_reserved;
};

// A real GPU. A program that asks for the device sees this GPU. Its sizes and clocks come from the data sheet.
struct board {
  std::string_view name;  // empty if bankwise executes no code for this architecture
  std::uint32_t multiprocessors;
  int clock_kilohertz, memory_kilohertz, memory_bits;
  int l2_bytes;
  int single_to_double;  // throughput of float divided by the throughput of double
  bool integrated;       // whether the GPU shares the memory of the machine
};

struct architecture {
  std::uint32_t sm;  // for example 90
  instruction_set set;
  multiprocessor one;
  board gpu;
};

// All rows, sorted by compute capability.
std::span<const architecture> architectures();
// Returns the row of an architecture. Returns null if the architecture is unknown.
const architecture* find_architecture(std::uint32_t sm);
const architecture* find_architecture(std::string_view name);  // for example "sm_90", "sm_90a", "sm_35.8"

// is_executed(): whether bankwise executes code for sm_<number>. executed_list(): all architectures whose code bankwise
// executes, as "sm_75, sm_80, ...".
bool is_executed(std::uint32_t sm);
std::string_view executed_list();

// Returns the number of multiprocessors in the GPU that represents sm_<number>. For an unknown architecture, returns
// the number of an H200.
std::uint32_t multiprocessors_of(std::uint32_t sm);
// Returns the instruction set of sm_<number>. For an unknown architecture, returns the instruction set of the closest
// older architecture.
instruction_set set_of(std::uint32_t sm);

}  // namespace bankwise::cubin
