// Simulates one multiprocessor that executes traced blocks. It has four quarters that issue instructions, the pipes of
// each quarter, and the units that all quarters share.
//
// Each warp has a time from which it can issue. This time depends on the stall count of its last instruction, on
// barriers, and on fetched code. A quarter selects the warp that can issue next, and the clock jumps to the time of
// this warp. The simulation therefore spends no time on idle clocks.
//
// Each unit is a file of this folder, with a test in tests/timing/. multiprocessor.cpp puts the units together.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "timing/multiprocessor/barriers.hpp"
#include "timing/multiprocessor/memory_system.hpp"
#include "timing/multiprocessor/product_times.hpp"
#include "timing/multiprocessor/setup.hpp"
#include "timing/pipe.hpp"
#include "timing/stall.hpp"

namespace bankwise::timing {

// What the replay of one multiprocessor found.
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
  // whether the run stopped after most_instructions or most_clocks; if so, `cycles` is not less than the time of the stop
  bool is_stopped = false;
  bool waits_at_barriers = false;
  // With programmatic dependent launch: the clock of the last trigger, and the clocks from the begin of a warp's block
  // until its wait for the launch before, for the warp that waits last. 0: there is none.
  double triggered = 0, until_wait = 0;
  // The clocks for which each resource was busy. held: those of a quarter that issues or waits for the register banks.
  double issue = 0, held = 0, data_stage = 0, l2 = 0, dram = 0, stores = 0, address = 0, textures = 0;
  // clocks for which a pipe was busy, in the quarter with the busiest pipe
  std::array<double, pipe_count> pipes{};
  double busiest_pipe() const { return *std::max_element(pipes.begin(), pipes.end()); }
  double l1_hit_rate = 0;
  memory_traffic traffic;
  std::vector<std::uint64_t> executed;  // number of executions of each instruction of launch_trace::code
  // Stalls of all warps for each instruction. The list is empty if stalls are not counted.
  std::vector<stall_clocks> stalls;
  std::vector<barrier_meetings> barriers;  // empty if stalls are not counted
  product_clocks products;                 // 0 if stalls are not counted
  // Pairs of a clock and the number of instructions until this clock, in even steps. The pairs show whether the rate is
  // steady.
  std::vector<std::pair<double, std::uint64_t>> progress;
};

multiprocessor_run run_multiprocessor(const multiprocessor_setup& s);

}  // namespace bankwise::timing
