// The events that the emulator reports during a launch, and the interface of their listeners.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bankwise/access.hpp"
#include "bankwise/asynchronous.hpp"
#include "model/parts/global_kind.hpp"

namespace bankwise {
struct lane_texel;
}

namespace bankwise::emulate {

// One executed warp instruction on shared memory.
struct shared_access {
  std::uint64_t pc = 0;     // device address of the instruction
  access what{};            // mask: active lanes. May be empty if the guard was false in all lanes
  std::uint32_t lanes = 0;  // active lanes, including those whose guard is false
  bool generic = false;     // only the lanes of `what` are in shared memory; there may be none
  copy_source from{};       // of a cp.async
  std::uint32_t warp = 0;   // in its block
  // Only for listeners that need the order:
  std::uint32_t path = 0;             // lanes that execute together, including those whose guard is false
  const std::byte* shared = nullptr;  // the block's shared memory, before the access
  const std::uint32_t* data[4] = {};  // for a plain store: rows with a word for each lane
};

// One executed warp instruction with another operation on shared memory.
struct async_event {
  std::uint64_t pc = 0;     // device address of the instruction
  async_operation what{};   // for a wgmma, a warp's quarter of it
  std::uint32_t lanes = 0;  // active lanes, including those whose guard is false
  bool done = false;        // false if the guard was false, and nothing happened
  struct range {
    std::uint32_t begin = 0, end = 0;  // shared addresses; equal if there are none
  };
  range touched[2] = {};  // the ranges that it reads or writes: for a wgmma, A and B
};

// How the addresses of 32 active lanes are related: the two most frequent patterns.
enum class row_shape : std::uint8_t { one_place, side_by_side, other };

// One executed warp instruction on global memory, or on the threads' own stacks. A generic instruction makes one event
// for the lanes that reach global memory, which may be none, and another event if some lanes are on their stacks.
struct global_access_event {
  std::uint64_t pc = 0;  // device address of the instruction
  global_kind kind = global_kind::load;
  bool generic = false;
  bool past_l1 = false;                    // cp.async.cg
  row_shape shape = row_shape::other;      // `other` if it was not analysed
  std::uint32_t mask = 0;                  // active lanes. May be empty if the guard was false in all lanes
  std::uint32_t lanes = 0;                 // how many were active, including those whose guard is false
  std::uint32_t width_bytes = 0;           // of a lane; addresses are multiples of it
  std::uint32_t warp = 0;                  // in its block
  const std::uint64_t* address = nullptr;  // by lane of `mask`; if local, on the thread's stack
  const std::uint32_t* to = nullptr;       // for a copy: the address in shared memory to which each lane copies
  // For a block that represents others (on_alike): the distance in bytes to the same access in the next block on each
  // axis.
  std::array<std::int64_t, 3> by{};
};

// One executed warp instruction on a texture or a surface.
struct texture_access_event {
  std::uint64_t pc = 0;  // device address of the instruction
  global_kind kind = global_kind::texture_read;
  std::uint32_t mask = 0;              // active lanes. May be empty if the guard was false in all lanes
  std::uint32_t lanes = 0;             // how many were active, including those whose guard is false
  std::uint32_t width_bytes = 0;       // of a texel, or of what a lane accesses in a surface
  std::uint32_t lanes_of_request = 4;  // lanes that the texture unit serves together
  const lane_texel* texels = nullptr;  // in the order of the lanes
  std::uint32_t texel_count = 0;
};

// Operations that order the accesses of a block.
enum class order_kind : std::uint8_t {
  meet,     // `lanes` of a warp, of several paths, waited for each other
  arrive,   // `lanes` arrive at block barrier `number`
  leave,    // they waited at the barrier, and continue
  open,     // the barrier begins again, when all have left
  ended,    // `lanes` have ended
  release,  // the results of `lanes` become visible to an acquire at shared address `number`, an mbarrier
  acquire,
  make,           // an mbarrier at shared address `number`, of 8 bytes
  write,          // a bulk copy to shared address `number`, of `bytes`
  read,           // a bulk copy reads from there
  foreign_write,  // `bytes` at shared address `number` were written by another block of the cluster
  end,            // of the block
};
struct ordering {
  order_kind kind = order_kind::meet;
  std::uint32_t warp = 0, lanes = 0;
  std::uint32_t number = 0, bytes = 0;
  std::uint64_t pc = 0;  // for a bulk copy
};

// The kinds of events that a listener receives. The function is called once, before the first event.
struct wanted_events {
  bool accesses = true;       // on_access, on_swap
  bool asynchronous = true;   // on_async
  bool order = false;         // on_order; accesses then contain the data for the order
  bool instructions = false;  // on_instructions
  bool block_ends = false;    // on_block_end, on_alike
  bool global = false;        // on_global, on_texture
  // on_warp before the events of a warp, and has_enough_of_block; only for a launch whose `use` is interpret
  bool warps = false;
  // If not 0: on_repeats suffices for a load or store of 32 lanes whose addresses repeat an earlier access of the same
  // instruction, shifted by a multiple of this number of bytes.
  std::uint32_t repeats = 0;
};

// Each listener is called from one thread at a time. Blocks come in any order. The events between two calls of on_block
// belong to one block. If blocks wait for each other and take turns, on_block is called more than once for a block.
class listener {
 public:
  virtual ~listener() = default;
  virtual wanted_events wants() const { return {}; }
  virtual void on_block(std::uint64_t block) = 0;
  // The block of the last on_block has run, and represents `times` blocks that behave alike, including itself. It is
  // called once for a cluster.
  virtual void on_block_end(std::uint64_t times) { static_cast<void>(times); }
  // Called before on_block_end of a block that represents a box of blocks, with the size of the box on each axis. The
  // block is the first one of the box.
  virtual void on_alike(const std::array<std::uint32_t, 3>& blocks) { static_cast<void>(blocks); }
  virtual void on_access(const shared_access&) {}
  // The reported access was repeated this number of times in this block's turn, shifted.
  virtual void on_repeats(const shared_access&, std::uint64_t times) { static_cast<void>(times); }
  virtual void on_async(const async_event&) {}
  virtual void on_global(const global_access_event&) {}
  virtual void on_texture(const texture_access_event&) {}
  // After on_access() of a compare-and-swap: the lanes that stored.
  virtual void on_swap(const shared_access&, std::uint32_t) {}
  virtual void on_order(const ordering&) {}
  // `lanes` of a warp together executed `count` consecutive instructions, the first of them at `pc`.
  virtual void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) {
    static_cast<void>(pc), static_cast<void>(count), static_cast<void>(lanes);
  }
  // Later events are from this warp of the block, until the next call.
  virtual void on_warp(std::uint32_t warp) { static_cast<void>(warp); }
  // Called for listeners that want `warps`, between two turns of a block's warps. If it returns true, the block ends
  // there.
  virtual bool has_enough_of_block() const { return false; }
};

}  // namespace bankwise::emulate
