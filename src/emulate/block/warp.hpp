// A warp while it runs: its registers, predicates and barriers, and the paths of its lanes.
//
// A register is 32 adjacent lanes of 32 bits, so that one instruction is one loop that a compiler vectorises:
//
//     reg(7) -> | lane 0 | lane 1 | lane 2 | ... | lane 31 |        128 bytes
//
// Lanes of a warp that took different branches are on different paths, each with a program counter and a mask. As on
// the hardware, paths join where they waited for each other: at a convergence barrier (BSSY, BSYNC), a WARPSYNC or a
// block barrier. The same address is not enough. YIELD and NANOSLEEP, however, remove lanes from their convergence
// barriers. After one of them, a warp joins paths at the same address when it switches to another path.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sass/instruction.hpp"

namespace bankwise::emulate {

inline constexpr unsigned register_rows = 266;  // 255 and zero_row are never written; writes to RZ go to trash_row
inline constexpr unsigned zero_row = 255;
inline constexpr unsigned trash_row = 256;  // and the following rows
inline constexpr unsigned rpc_row = 264;    // the two words of Rpc
inline constexpr unsigned barrier_registers = 16;
inline constexpr unsigned block_barriers = 16;
inline constexpr unsigned constant_banks = 18;

using row = std::uint32_t[32];
struct alignas(64) lane_row {
  row at;
};

enum class path_state : std::uint8_t {
  ready,
  at_bsync,     // waits for the lanes of convergence barrier `barrier`
  at_warpsync,  // waits for the lanes of `wait_mask`
  at_block,     // waits at block barrier `barrier`
  at_cluster,   // waits at the barrier of the cluster
  at_group,     // waits for the other warps of its warp group
};

struct path {
  std::uint64_t pc = 0;  // device address; for a waiting path, of the instruction at which it waits
  std::uint32_t mask = 0;
  std::uint32_t wait_mask = 0;
  path_state state = path_state::ready;
  std::uint8_t barrier = 0;
  bool exclusive = false;   // after WARPSYNC.EXCLUSIVE: not joined and not interrupted until it waits at a BSYNC
  bool reliable = false;    // at a BSYNC.RELIABLE
  bool here_alone = false;  // at a WARPSYNC that only joins lanes at the same WARPSYNC
  // If lanes compete (path_turns.hpp):
  bool runs = false;        // it is this path's turn
  bool gave_way = false;    // it let others run
  std::uint32_t since = 0;  // when it began to wait for its turn; 0 if it does not wait
};

// The call stack of each lane for messages about faults: the pcs of the last few CALL instructions.
struct call_log {
  static constexpr unsigned kept = 16;
  std::uint64_t at[kept][32];    // by depth, modulo
  std::uint32_t depth[32] = {};  // calls that have not returned
};

struct warp {
  std::vector<lane_row> registers;            // register_rows
  std::array<std::uint32_t, 8> predicates{};  // lane masks; [7] is all ones
  std::array<std::uint32_t, 256> uniform{};   // [255] is zero
  std::uint32_t uniform_predicates = 0x80;    // bit 7 is one
  row convergence[barrier_registers] = {};    // for each barrier and lane: the lanes that join there
  std::uint32_t alive = 0;
  bool yielded = false;  // some of its lanes have let others run
  // If lanes compete (path_turns.hpp):
  bool takes_turns = false;             // its paths compete since one of them yielded
  std::uint32_t queued = 0;             // how often a path began to wait for its turn
  std::vector<std::uint32_t> arrivals;  // the paths that have just become the running path
  std::vector<path> paths;              // disjoint; at most 32, and never reallocated
  std::uint32_t id = 0;                 // in its block
  // lanes that have arrived at the barrier of the cluster, while it is not complete
  std::uint32_t at_cluster = 0;
  // number of products that it has begun, and completed, with its warp group
  std::uint32_t group_arrivals = 0, group_products = 0;
  std::uint32_t bar_count = 0;  // the result of the last BAR.RED, for B2R
  bool bar_flag = false;
  std::vector<std::byte> local;  // local_bytes for each lane, lane after lane
  bool local_used = false;       // something may have been written to it
  bool has_loaded = false;       // since its last yield, it has loaded words for which blocks race (block_races.hpp)
  call_log calls;

  std::uint32_t* reg(unsigned r) { return registers[r].at; }
};

}  // namespace bankwise::emulate
