// Simulates one multiprocessor that executes traced blocks. It has four quarters that issue instructions, the pipes of
// each quarter, and the units that all quarters share.
//
// Each warp has a time from which it can issue. This time depends on the stall count of its last instruction, on
// barriers, and on fetched code. A quarter selects the warp that can issue next, and the clock jumps to the time of
// this warp. The simulation therefore spends no time on idle clocks.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/memory_system.hpp"
#include "timing/stall.hpp"
#include "timing/trace/launch_trace.hpp"
#include "timing/trace/line_sharing.hpp"

namespace bankwise::timing {

// How a changed source executes an instruction of the trace.
struct code_change {
  float wavefronts = 1;    // wavefronts of its accesses to shared memory, divided by the recorded wavefronts
  std::uint8_t added = 0;  // integer instructions before it, each of which needs the result of the one before
  // Whether each execution of a load requests the data of the next execution by the warp, as an unrolled loop does.
  bool is_early = false;
  float executed = 1;  // part of the executions that remain. Only some instructions can be left out (can_be_left_out)
};
// Whether a replay can leave executions of an instruction out. It cannot for jumps, copies and operations on mbarriers,
// because other instructions wait for them.
bool can_be_left_out(const instruction_cost& c);

struct multiprocessor_setup {
  const launch_trace* trace = nullptr;
  const std::vector<instruction_cost>* costs = nullptr;  // the cost of each instruction of trace->code
  const line_sharing* sharing = nullptr;
  gpu_parameters gpu;
  free_resources free;
  std::uint32_t slots = 1;  // number of blocks that are resident together
  double active = 132;      // number of multiprocessors that have blocks
  double l1_bytes = 128 * 1024;
  std::uint64_t most_instructions = 0;  // the run stops after this number of instructions; 0 means no limit
  bool counts_stalls = false;
  // A change for each instruction; null if no instruction changes.
  const std::vector<code_change>* changes = nullptr;
  struct block {
    std::uint32_t index = 0;  // index in trace->blocks
    std::uint32_t copy = 0;   // 0, or the number of a copy of the block; a copy has separate memory
  };
  std::vector<block> blocks;  // the blocks, in the order in which they begin
};

struct multiprocessor_run {
  double cycles = 0;  // clocks from the start of the launch to the end of the last block
  std::uint64_t instructions = 0;
  struct block_time {
    double begin = 0, end = 0;
    std::uint64_t instructions_before = 0;  // instructions that the multiprocessor executed before the block began
  };
  std::vector<block_time> blocks;
  bool is_cut = false;
  // the clock at which a warp first reached the end of an incomplete trace
  double first_cut = std::numeric_limits<double>::infinity();
  bool is_stopped = false;  // whether the run stopped after most_instructions; if so, `cycles` is the time of the stop
  bool waits_at_barriers = false;
  // The clocks for which each resource was busy.
  double issue = 0, data_stage = 0, l2 = 0, dram = 0, stores = 0, address = 0, textures = 0;
  // clocks for which a pipe was busy, in the quarter with the busiest pipe
  std::array<double, static_cast<std::size_t>(pipe::count)> pipes{};
  double l1_hit_rate = 0;
  memory_traffic traffic;
  std::vector<std::uint64_t> executed;  // number of executions of each instruction of launch_trace::code
  // Stalls of all warps for each instruction. The list is empty if stalls are not counted.
  std::vector<stall_clocks> stalls;
  // Pairs of a clock and the number of instructions until this clock, in even steps. The pairs show whether the rate is
  // steady.
  std::vector<std::pair<double, std::uint64_t>> progress;
};

multiprocessor_run run_multiprocessor(const multiprocessor_setup& s);

}  // namespace bankwise::timing
