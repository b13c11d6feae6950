// A delay of a launch, apart from the wavefronts and sectors of its accesses (delays.def).
//
//     late_loads       gemm.cu:31    saves 4,204 cycles
//     low_occupancy    the launch    saves 1,850 cycles   4 resident blocks instead of 2, with at most 64 registers
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/parts/instruction_place.hpp"

namespace bankwise {

enum class delay_kind : std::uint8_t {
#define DELAY(name, id) name,
#include "model/time/delays.def"
  count
};

struct delay {
  delay_kind is = delay_kind::few_blocks;
  // The instruction, or the first one of several. Without a line and a pc if the delay belongs to the whole launch.
  instruction_place place;
  // Elapsed cycles that the launch saves without the delay, by a replay. 0 if no replay can tell.
  std::uint64_t saved_cycles = 0;
  // An estimate of this number by a rule of thumb, if no replay can tell. It is only for the order of findings.
  std::uint64_t estimated_cycles = 0;
  // few_blocks            blocks of the grid (warps if `about` is "warps"), and multiprocessors
  // uneven_blocks         blocks of the busiest multiprocessor, and multiprocessors
  // low_occupancy         resident blocks of a multiprocessor, now and in the replay
  // late_loads, chained_loads
  //                       rounds by which the source already requests the data earlier, and rounds of the loop that
  //                       request their loads together in the replay. 0 if each load comes one round earlier
  // few_lanes             active lanes of these instructions on average
  // small_blocks          threads of a block, now and in the replay
  // needless_barriers     threads that exchange values with each other, but not with the others; 0 if no warps do
  // long_code             instructions that each warp executes once
  // uneven_warps          instructions before a barrier, by the warp with the most and by an average warp
  // spilled_registers     words of local memory for registers of a thread, and lines with such accesses
  // stack_arrays          `then` is the number of lines with such accesses
  // host_reads            how often each sector of the host is read on average
  // reads_again           percent of the bytes from DRAM
  // few_stages            stages of the ring of buffers, now and in the replay; `used` is the bytes of a stage
  // small_tiles           bytes that are copied for the products of a stage, now and in the replay
  // repeated_updates      updates by the threads of a block (of the launch if `about` is "launch"), and the most words
  //                       that they update
  std::uint64_t now = 0, then = 0;
  // What the delay is about, if its kind has several forms; otherwise empty.
  // few_blocks            "warps"    late_loads      "code", if there is no loop
  // low_occupancy         "blocks", if only smaller blocks help
  // needless_barriers     "lanes", if not even the lanes of a warp exchange values
  // repeated_updates      "launch"   uneven_warps    the warp for which the others wait: "warp 0", "one warp"
  std::string about;
  std::uint32_t barrier_line = 0;  // uneven_warps: the line of the barrier; 0 if it is not known
  // low_occupancy: what limits the blocks ("registers", "shared memory"), how much of it a thread or block has, and how
  // much of it `then` blocks can have; also the smallest change that allows more blocks, if these are fewer than `then`
  std::string limit;
  std::uint64_t used = 0, allowed = 0;
  std::uint64_t next_allowed = 0, next_blocks = 0;
  std::uint32_t cause = 0;  // number of the change that also removes other costs of the launch (causes.hpp); 0: none

  std::uint64_t order_cycles() const { return saved_cycles != 0 ? saved_cycles : estimated_cycles; }
  bool is_of_launch() const { return place.sass.empty(); }
  friend bool operator==(const delay& a, const delay& b);
};

std::string_view name_of(delay_kind k);
bool is_same_place(const delay& a, const delay& b);
void sort_delays(std::vector<delay>& list);  // the largest saving first

// Returns what is wrong in one clause: "the loads of this loop arrive when the next instructions already need them".
std::string why_of(const delay& d);
// Returns the change that removes the delay: "request the data of the next round before this round uses its own".
std::string remedy_of(const delay& d);

}  // namespace bankwise
