// One multiprocessor that executes traced blocks: four quarters that issue, their pipes, and what they share.
//
// Each warp has a time from which it can issue: its own stall, the barriers that it waits for, the code that it reads.
// A quarter selects the next of its warps that can issue, and the clock jumps to that time. Idle clocks therefore take
// no time to simulate.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/memory_system.hpp"
#include "timing/stall.hpp"
#include "timing/trace/launch_trace.hpp"
#include "timing/trace/line_sharing.hpp"

namespace bankwise::timing {

struct multiprocessor_setup {
  const launch_trace* trace = nullptr;
  const std::vector<instruction_cost>* costs = nullptr;  // of trace->code
  const line_sharing* sharing = nullptr;
  gpu_parameters gpu;
  free_resources free;
  std::uint32_t slots = 1;  // blocks that are resident together
  double active = 132;      // multiprocessors that have blocks
  double l1_bytes = 128 * 1024;
  std::uint64_t most_instructions = 0;  // if not 0, the run stops after this number
  bool counts_stalls = false;
  // By instruction: wavefronts of its accesses to shared memory, divided by the original ones. Null if unchanged.
  const std::vector<float>* wavefront_factors = nullptr;
  struct block {
    std::uint32_t index = 0;  // in trace->blocks
    std::uint32_t copy = 0;   // not 0: a copy of the block, with its own memory
  };
  std::vector<block> blocks;  // in the order in which they begin
};

struct multiprocessor_run {
  double cycles = 0;  // from the launch's begin to the end of the last block
  std::uint64_t instructions = 0;
  struct block_time {
    double begin = 0, end = 0;
    std::uint64_t instructions_before = 0;  // of the multiprocessor, before the block began
  };
  std::vector<block_time> blocks;
  bool is_cut = false;
  bool is_stopped = false;  // after most_instructions, at `cycles`
  bool waits_at_barriers = false;
  // For how many clocks each resource was busy.
  double issue = 0, data_stage = 0, l2 = 0, dram = 0, stores = 0, address = 0;
  std::array<double, static_cast<std::size_t>(pipe::count)> pipes{};  // of the busiest quarter
  double l1_hit_rate = 0;
  memory_traffic traffic;
  std::vector<std::uint64_t> executed;  // by instruction (launch_trace::code)
  // If they are counted: for all warps, by instruction.
  std::vector<stall_clocks> stalls;
  // Instructions until each clock, at even steps: they show whether the rate is steady.
  std::vector<std::pair<double, std::uint64_t>> progress;
};

multiprocessor_run run_multiprocessor(const multiprocessor_setup& s);

}  // namespace bankwise::timing
