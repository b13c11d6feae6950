// A running warp: its registers, predicates and barriers, and the paths of its lanes.
//
// A register is 32 adjacent lanes of 32 bits, so that one instruction is one loop that a compiler vectorises:
//
//     reg(7) -> | lane 0 | lane 1 | lane 2 | ... | lane 31 |        128 bytes
//
// Lanes of a warp that took different branches are on different paths. Each path has a program counter and a mask. As
// on the hardware, paths join where they waited for each other: at a convergence barrier (BSSY, BSYNC), a WARPSYNC or a
// block barrier. Otherwise, paths at the same address do not join. YIELD and NANOSLEEP are an exception, because they
// remove lanes from their convergence barriers. After one of these instructions, a switch to another path joins paths
// at the same address.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulate/code/register_rows.hpp"
#include "sass/instruction.hpp"

namespace bankwise::emulate {

inline constexpr unsigned barrier_registers = 16;
inline constexpr unsigned block_barriers = 16;

enum class path_state : std::uint8_t {
  ready,
  at_bsync,     // waits for the lanes of convergence barrier `barrier`
  at_warpsync,  // waits for the lanes of `wait_mask`
  at_block,
  at_cluster,
  at_group,      // waits for the other warps of its warp group
  at_registers,  // waits until other warps of the block release registers
};

struct path {
  std::uint64_t pc = 0;  // device address; for a waiting path, address of the instruction at which it waits
  std::uint32_t mask = 0;
  std::uint32_t wait_mask = 0;
  std::uint64_t begin = 0;  // where its lanes parted from others, or met; 0 if they have run together from the start
  path_state state = path_state::ready;
  std::uint8_t barrier = 0;
  // After WARPSYNC.EXCLUSIVE and .COLLECTIVE: the path is not joined or interrupted until it waits at a BSYNC, or until
  // ENDCOLLECTIVE.
  bool exclusive = false;
  bool collective = false;  // whether the path waits at a WARPSYNC.COLLECTIVE
  bool reliable = false;
  bool here_alone = false;  // whether the path waits at a WARPSYNC that joins only lanes at the same instruction
  // Used only if lanes compete (path_turns.hpp):
  bool runs = false;      // whether this path has the turn
  bool gave_way = false;  // whether the path let other paths run
  // the value of warp::queued when the path began to wait for its turn; 0 if the path is not waiting
  std::uint32_t since = 0;
  bool passes =
      false;  // whether the last turn ended at the path's next instruction, so that this turn does not end there
};

// A failed look of a path at an mbarrier: the phase was not complete for any lane.
struct vain_look {
  // lanes that looked, and address of the mbarrier; no look has failed if `lanes` is 0
  std::uint32_t lanes = 0, address = 0;
  std::uint64_t pc = 0;
  std::uint64_t changes = 0;  // number of changes of mbarriers before the look
  std::uint32_t phase = 0;    // parity of the phase
};

// The last CALL instructions of each lane, for the call stack in messages about faults.
struct call_log {
  static constexpr unsigned kept = 16;
  std::uint64_t at[kept][32];    // the first index is the depth of the call, modulo `kept`
  std::uint32_t depth[32] = {};  // number of calls that have not returned
};

// A barrier that BMOV has copied to a register. A register has no place for what the barrier knows besides its mask, so
// this is kept here until BMOV copies the same mask back.
struct saved_barrier {
  static constexpr std::size_t most =
      64;                   // number of saved barriers of a warp; if there are more, the oldest is dropped
  std::uint32_t joins = 0;  // the mask
  std::uint32_t lanes = 0;  // lanes that copied this mask, and have not copied it back
  std::uint32_t kept = 0;   // those of these lanes that entered the barrier by BSSY.RECONVERGENT
};

struct warp {
  std::vector<lane_row> registers;            // register_rows elements
  std::array<std::uint32_t, 8> predicates{};  // masks of lanes; element 7 is all ones
  std::array<std::uint32_t, 256> uniform{};   // element 255 is always zero
  std::uint32_t uniform_predicates = 0x80;    // one bit for each predicate; bit 7 is always one
  // for each barrier and each lane: mask of the lanes that join at the barrier
  row convergence[barrier_registers] = {};
  // for each barrier: the lanes that entered the barrier by BSSY.RECONVERGENT; these lanes stay in the barrier when
  // they yield
  std::array<std::uint32_t, barrier_registers> kept_by_barrier{};
  std::vector<saved_barrier> saved_barriers;  // BMOV has copied them to registers; the last copy is last
  std::uint32_t alive = 0;
  bool yielded = false;  // whether some lanes of the warp have let other lanes run first
  // Used only if lanes compete (path_turns.hpp):
  bool takes_turns = false;             // whether the paths of the warp take turns: true once a lane has yielded
  std::uint32_t queued = 0;             // number of times that a path has begun to wait for its turn
  std::vector<std::uint32_t> arrivals;  // masks of the paths that were joined into the running path
  std::vector<path> paths;              // at most 32 paths with disjoint masks; the array is never reallocated
  std::uint32_t id = 0;
  // Used only if turns end at some places of the code (turn_ends.hpp). `clock`: number of instructions that the warp has
  // executed, and instructions that it could have executed while it waited. `turns_left`: how many turns may end in
  // loops before the next barrier.
  std::uint64_t clock = 0;
  std::uint32_t turns_left = 0;
  // lanes that have arrived at the cluster's barrier while the barrier is not complete
  std::uint32_t at_cluster = 0;
  std::uint32_t thread_registers = 0;  // that USETMAXREG has left to a thread; 0 if their number is unknown
  // numbers of the warp group's products that this warp has begun and completed
  std::uint32_t group_arrivals = 0, group_products = 0;
  // waits for phases that completed before another warp initialised the mbarrier again; the next look ends the wait
  std::vector<vain_look> ended_waits;
  bool let_others_look = false;  // whether the warp has let the others run before it initialises an mbarrier again
  std::uint32_t bar_count = 0;   // the result of the last BAR.RED, for B2R
  bool bar_flag = false;
  std::vector<std::byte> local;  // local memory: local_bytes for each lane, one lane after another
  bool local_used = false;       // whether `local` may have been written
  // whether the warp has loaded words for which blocks race (block_races.hpp) since the warp last yielded
  bool has_loaded = false;
  // addresses of the instructions at which lanes ended; set only if listeners hear of misuses (misuse_check.hpp)
  std::array<std::uint64_t, 32> ended_at{};
  std::array<std::uint64_t, 32> ended_path{};  // path::begin of lanes that ended as a whole path; 0 for other lanes
  call_log calls;

  std::uint32_t* reg(unsigned r) { return registers[r].at; }
};

}  // namespace bankwise::emulate
