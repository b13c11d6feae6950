// How a changed source would execute the instructions of a trace.
//
//     early loads, three rounds of a loop       load 1 | wait 1 | load 2 | wait 1, not 2 | load 3 | wait 2, not 3
//     three rounds together (unrolled by 3)     load 1, 2, 3 | wait 1 | wait 2 | wait 3 | load 4, 5, 6 | ...
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"

namespace bankwise::timing {

struct code_change {
  float wavefronts = 1;    // wavefronts of its accesses to shared memory, divided by the recorded wavefronts
  std::uint8_t added = 0;  // integer instructions before it, each of which needs the result of the one before
  // Whether a load is requested when the warp's loads before its last wait were requested, as with a prefetch.
  bool is_early = false;
  // How many loads are requested together, as in an unrolled loop, and the number of the loop. 1: each waits for its
  // turn.
  std::uint16_t together = 1, loop = 0;
  // Whether the loop begins after this instruction, so that its loads are not requested with earlier ones.
  bool enters_loop = false;
  // For a test of an mbarrier: the test waits for what the test so many rounds earlier waited for, because the ring of
  // buffers has so many stages more. Tests of the same ring have the same number `ring`.
  std::uint8_t stages = 0, ring = 0;
  float copied =
      1;  // for a bulk copy: part of the data that L2 sends, because a larger tile uses them for more products
  // For a wait for groups of products in a loop: one group more stays in flight until the warp leaves the loop. The warp
  // frees the buffers of this group when its products end.
  bool keeps_group = false;
  // For a barrier of the block: each so many warps have a barrier of their own instead. 0: all warps have one.
  std::uint8_t barrier_group = 0;
  // The most clocks until the warp issues its next instruction, because that does not need the result. 0: as recorded.
  std::uint8_t stall = 0;
  float executed = 1;  // part of the executions that remain. Only some instructions can be left out (can_be_left_out)
  bool skips_jumps = false;  // whether jumps can be left out, too, because the warp does not take the path at all
  // Between 0 and 1: which executions remain. Instructions of different paths with different shifts remain in different
  // warps, so that a warp executes only one of the paths.
  float shift = 0;
  // The number of a loop whose rounds decide: a warp executes the instruction in a whole round, or not at all. A number
  // without rounds decides once for the warp. 0: each execution is decided by itself.
  std::uint16_t rounds_of = 0;
  std::uint16_t begins_round_of = 0;  // the number of the loop whose round begins before this instruction
};

// Spreads whole numbers evenly: the fractional part of n times the golden ratio, plus the shift.
double spread(std::uint64_t n, double shift = 0);

// Whether a replay can leave executions of an instruction out. It cannot for jumps, copies and operations on mbarriers,
// because other instructions wait for them.
bool can_be_left_out(const instruction_cost& c);

// The changes of the instructions, as far as a warp has executed them.
struct changes_of_warp {
  // The part of an execution that is due, for each instruction of which executions are left out. A round of a loop is
  // executed or left out as a whole, because each instruction has its own part.
  std::unordered_map<std::uint32_t, float> due;
  std::unordered_map<std::uint16_t, std::uint32_t> rounds;  // that began, by the number of the loop
  // Times at which the early loads since the last wait, and those before it, were requested. `never` if there were none.
  static constexpr double never = -1;
  double requested = never, requested_before = never;
  std::uint8_t waits_for = 0;  // scoreboards of the early loads since the last wait
  // The loads of each loop that are requested together: how many until now, and the time of the first request.
  struct requests_together {
    std::uint64_t loads = 0;
    double first = never;
  };
  std::unordered_map<std::uint16_t, requests_together> together;        // by loop
  std::unordered_map<std::uint8_t, std::vector<std::uint64_t>> tested;  // what its tests waited for, by ring
  double products_end = 0;  // time at which the groups end that a changed source leaves in flight

  // Returns what a test waits for, if the ring has more stages. `what` is the trace's number: an mbarrier, and arrivals.
  // Returns nothing if the buffer was never used before.
  std::optional<std::uint64_t> earlier_test(const code_change& change, std::uint64_t what);

  // Whether this execution is left out. Decides it anew at each call. `warp` is the number of the warp.
  bool leaves_out(std::uint32_t code, const code_change& change, std::uint64_t warp);
  // The same for a change with rounds. `place`: the warp's place among the warps of its block, from 0 to 1. The first
  // warps of a block take a path, because the lanes that take it are collected by block.
  bool leaves_out_round(const code_change& change, double place);
  // The warp waits for scoreboards before its next instruction.
  void wait(std::uint8_t scoreboards);
  // Returns how many clocks earlier than `at` a load is requested.
  double earlier(const instruction_cost& c, const code_change& change, double at);
};

}  // namespace bankwise::timing
