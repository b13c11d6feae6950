// The cost of a single instruction: from its control bits, and from the pipe that executes it.
//
//     LDS R4, [R2]     stall 1, write barrier 0      memory pipe; the result comes when the data stage has served it
//     FFMA R5, R4, ... wait mask 000001              waits for barrier 0; a float pipe for 2 clocks
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sass/instruction.hpp"

namespace bankwise::timing {

enum class pipe : std::uint8_t {
  none,       // issue alone
  alu,        // integers, comparisons, logic
  fma,        // either of the two below
  fma_heavy,  // also multiplies integers
  fma_lite,
  fp64,
  special,  // transcendental functions, conversions, bit counts
  special_register,
  tensor,
  uniform,
  memory,  // the queue to the units that the quarters share
  texture,
  count,
};

// How execution continues after it, or what it needs in addition to its pipe.
enum class behaviour : std::uint8_t {
  plain,
  memory,   // by the accesses that were traced
  shuffle,  // goes through the memory queue and the data stage
  constant_load,
  jump,        // may go elsewhere
  barrier,     // waits for the warps of its block
  arrival,     // at a barrier, without waiting
  scoreboard,  // waits until few enough operations of a barrier are in flight
  commit,      // of copies to shared memory: waits for all earlier copies
  fence,
  matrix_group,  // of warps: counted by its columns
  group_wait,
  sleep,
  yield,  // to the other paths of its warp
  exit,
};

inline constexpr std::uint8_t no_barrier = 7;

inline constexpr unsigned constant_lines = 1024;  // of a bank, at most

struct instruction_cost {
  std::uint8_t stall = 1;
  bool may_stay = true;  // the same warp may issue in the next clock
  std::uint8_t write_barrier = no_barrier, read_barrier = no_barrier;
  std::uint8_t wait_mask = 0;
  timing::pipe pipe = timing::pipe::none;
  std::uint8_t interval = 1;  // clocks that the pipe is taken
  std::uint16_t latency = 0;  // until the write barrier is released, if it is not an access
  timing::behaviour does = behaviour::plain;
  std::uint8_t number = 0;      // of a barrier, or of the scoreboard that is waited for
  std::uint16_t remaining = 0;  // the number that may still be in flight; for a barrier its threads, 0 for all
  std::uint8_t registers = 1;   // that a load writes for each lane
  // Registers that it reads, by the place of the operand; register_zero where it reads none.
  std::array<std::uint8_t, 3> reads{sass::register_zero, sass::register_zero, sass::register_zero};
  std::uint8_t keeps = 0;  // places whose register stays in the cache of operands
  bool past_l1 = false;
  bool adds_floats = false, swaps = false;  // an atomic
  bool retries = false;                     // a compare-and-swap that a loop repeats until it succeeds
  bool reads_constants = false;
  // Lines of 64 bytes of bank 0, and of 256 bytes of the other banks: the bank times constant_lines, and the line.
  std::uint16_t constant_line = 0;
  std::uint32_t sleeps = 0;  // nanoseconds, if the instruction has them
  sass::opcode op = sass::opcode::NOP;
};

instruction_cost cost_of(const sass::instruction& i);

// Sets `retries` of each compare-and-swap that is the only atomic of a loop.
void find_retries(const std::vector<sass::instruction>& code, std::vector<instruction_cost>& costs);

}  // namespace bankwise::timing
