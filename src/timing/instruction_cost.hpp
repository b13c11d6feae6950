// The cost of a single instruction. It depends on the instruction's control bits, and on the pipe that executes the
// instruction.
//
//     LDS R4, [R2]     stall 1, write barrier 0      memory pipe; the result arrives after the data stage
//     FFMA R5, R4, ... wait mask 000001              waits for barrier 0; a float pipe for 2 clocks
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sass/instruction.hpp"
#include "timing/pipe.hpp"

namespace bankwise::timing {

// What an instruction does to its warp, or needs in addition to its pipe. This determines how the cost is computed.
enum class behaviour : std::uint8_t {
  plain,
  memory,   // the traced accesses determine the cost
  shuffle,  // passes the memory queue and the data stage
  constant_load,
  jump,         // may continue at an instruction that is not the next one
  indirect,     // a jump whose lanes may have several targets
  barrier,      // waits for the warps of the block
  arrival,      // arrives at a barrier without waiting
  scoreboard,   // waits until at most `remaining` operations of a scoreboard are in flight
  commit,       // waits for all earlier copies to shared memory
  bulk_commit,  // waits until all earlier bulk copies of the warp have read shared memory
  fence,
  cluster_wait,  // waits for a barrier of the cluster
  group_start,   // the products of a warp group follow
  matrix_group,  // a product of a warp group
  group_wait,    // waits until at most `remaining` groups of products are in flight
  trigger,       // lets the dependent launch begin
  launch_wait,   // waits for the launch on which this one depends
  sleep,
  yield,  // yields to other paths of the warp
  exit,
};

inline constexpr std::uint8_t no_barrier = 7;
inline constexpr std::uint8_t named_by_register = 255;

inline constexpr unsigned constant_lines = 1024;  // largest number of lines in a bank of constants

struct instruction_cost {
  std::uint8_t stall = 1;
  bool may_stay = true;  // whether the same warp may issue in the next clock
  std::uint8_t write_barrier = no_barrier, read_barrier = no_barrier;
  std::uint8_t wait_mask = 0;
  timing::pipe pipe = timing::pipe::none;
  std::uint8_t interval = 1;  // clocks for which the pipe is busy
  std::uint16_t latency = 0;  // clocks until the write barrier is released, for instructions that do not access memory
  timing::behaviour does = behaviour::plain;
  // number of the barrier (named_by_register if it is in a register), or of the scoreboard for which it waits
  std::uint8_t number = 0;
  // scoreboard: operations that may still be in flight; barrier: threads of the barrier, or 0 for all threads; wait for
  // products: groups of products that may still be in flight; fence: 1 for MEMBAR.ALL
  std::uint16_t remaining = 0;
  std::uint8_t registers = 1;  // number of registers that a load writes for each lane
  // The registers that the instruction reads, in the order of its operands. register_zero means that the operand is not
  // a register.
  std::array<std::uint8_t, 3> reads{sass::register_zero, sass::register_zero, sass::register_zero};
  std::uint8_t keeps = 0;  // a bit for each operand: whether its register stays in the cache of operands
  // For a product of a warp group: wavefronts of its operands in shared memory, and whether it ends a group of products.
  std::uint8_t operand_wavefronts = 0;
  bool ends_group = false;
  bool past_l1 = false;
  bool sums_to_floats = false;              // whether an mma.sync of halves has sums of floats
  bool adds_floats = false, swaps = false;  // whether an atomic adds floats, or is a compare-and-swap
  // whether the instruction is a compare-and-swap that a loop repeats until it succeeds
  bool retries = false;
  bool reads_constants = false;
  // The bank times constant_lines, plus the number of the line. A line has 64 bytes in bank 0, and 256 bytes in all
  // other banks.
  std::uint16_t constant_line = 0;
  std::uint32_t sleeps = 0;  // for NANOSLEEP with an immediate: number of nanoseconds; otherwise 0
  sass::opcode op = sass::opcode::NOP;
};

instruction_cost cost_of(const sass::instruction& i);

// Whether an instruction waits for the barriers of its warp. After a warp has arrived at a barrier, it continues to
// compute. It waits at its first memory access, or at the end of its path.
constexpr bool waits_for_barriers(const instruction_cost& c) {
  switch (row_of(c.pipe).waits) {
    case waits_of_pipe::jumps: return c.does == behaviour::jump || c.does == behaviour::exit;
    case waits_of_pipe::constant_loads: return c.does == behaviour::constant_load;
    case waits_of_pipe::all: break;
  }
  return true;
}

// Sets `retries` of each compare-and-swap that is the only atomic in its loop.
void find_retries(const std::vector<sass::instruction>& code, std::vector<instruction_cost>& costs);

// When an instruction has done its work.
struct execution {
  double done = 0;  // time at which the result arrives
  double read = 0;  // time at which the instruction has read its registers
};

}  // namespace bankwise::timing
