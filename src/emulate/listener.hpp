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
  access what{};            // what.mask: the active lanes whose guard is true; may be empty
  std::uint32_t lanes = 0;  // number of active lanes, including lanes whose guard is false
  // whether the access is generic; if so, only the lanes of `what.mask` are in shared memory, perhaps none
  bool generic = false;
  bool refused = false;  // an atomic that only tells the lanes in shared memory apart, and does not change their words
  copy_source from{};    // for cp.async: source of the copy
  // bytes that other lanes of the instruction access in the shared memory of other blocks of the cluster
  std::uint32_t remote_bytes = 0;
  std::uint32_t warp = 0;  // number of the warp in its block
  // The members below are set only for listeners that need the order of accesses. `path` is a mask of the lanes on the
  // same path, including lanes whose guard is false.
  std::uint32_t path = 0;
  const std::byte* shared = nullptr;  // the block's shared memory, with its contents before the access
  const std::uint32_t* data[4] = {};  // for a plain store: the stored words, a row of 32 lanes for each register
};

// One executed warp instruction with an operation on shared memory other than an access.
struct async_event {
  std::uint64_t pc = 0;  // device address of the instruction
  // For a wgmma: the quarter of the product that one warp computes. For an access to other blocks of the cluster,
  // what.bytes are the bytes of these blocks.
  async_operation what{};
  std::uint32_t lanes = 0;  // number of active lanes, including lanes whose guard is false
  bool done = false;        // whether the guard was true in any lane; if not, nothing happened
  struct range {
    std::uint32_t begin = 0, end = 0;  // shared addresses; begin == end if the range is empty
  };
  range touched[2] = {};  // the ranges that the operation reads or writes; for a wgmma, the ranges of A and B
};

// How the addresses of 32 active lanes are related. The first two values are the most frequent patterns.
enum class row_shape : std::uint8_t { one_place, side_by_side, other };

// One executed warp instruction on global memory or on the threads' own stacks. A generic instruction makes one event
// for the lanes that access global memory, even if no lane does. The instruction makes another event if some lanes
// access their stacks.
struct global_access_event {
  std::uint64_t pc = 0;
  global_kind kind = global_kind::load;
  bool generic = false;
  bool past_l1 = false;                // whether the instruction is cp.async.cg, which bypasses L1
  row_shape shape = row_shape::other;  // `other` if the addresses were not analysed
  std::uint32_t mask = 0;              // the active lanes whose guard is true; may be empty
  std::uint32_t lanes = 0;             // number of active lanes, including lanes whose guard is false
  std::uint32_t width_bytes = 0;       // width of a lane's access in bytes; each address is a multiple of this width
  std::uint32_t warp = 0;              // number of the warp in its block
  // address of each lane in `mask`; for local memory, the address on the thread's stack
  const std::uint64_t* address = nullptr;
  const std::uint32_t* to = nullptr;  // for a copy: the address in shared memory to which each lane copies
  // For a plain store: the stored words, a row of 32 lanes for each register. Only set if a listener needs the order of
  // accesses.
  const std::uint32_t* data[4] = {};
  // Set for a block that represents other blocks (on_alike). For each axis, the distance in bytes between this access
  // and the same access of the next block.
  std::array<std::int64_t, 3> by{};
};

// One executed warp instruction on a texture or a surface.
struct texture_access_event {
  std::uint64_t pc = 0;  // device address of the instruction
  global_kind kind = global_kind::texture_read;
  std::uint32_t mask = 0;              // the active lanes whose guard is true; may be empty
  std::uint32_t lanes = 0;             // number of active lanes, including lanes whose guard is false
  std::uint32_t width_bytes = 0;       // bytes of a texel, or bytes that one lane accesses in a surface
  std::uint32_t lanes_of_request = 4;  // number of lanes that the texture unit serves together
  const lane_texel* texels = nullptr;  // texels in the order of the lanes
  std::uint32_t texel_count = 0;
};

// Bytes of global memory that a bulk copy or a tensor copy reads or writes: all of a bulk copy, or a row of a box. The
// bytes follow on_async() of the instruction, before on_order() of its mbarriers. For a prefetch, which has no other
// event: bytes that it brings into a cache. They may be outside of all allocations.
struct copied_bytes {
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t prefetch = 0;  // device address of the instruction if it is a prefetch, otherwise 0
  bool to_l1 = false;          // whether a prefetch brings the bytes into L1 and not only into L2
};

// A use of a barrier, a shuffle or a vote by lanes of a warp, after which a GPU continues, although the result is
// undefined.
enum class misuse_kind : std::uint8_t {
  mask_without_caller,  // the mask does not name the lanes of `lanes`
  mask_of_others,       // the mask names the lanes of `others`, which wait elsewhere
  mask_of_ended,        // the mask of a shuffle or vote names the lanes of `others`, which ended at `pc_of_others`
  inactive_lane,        // each lane of `lanes` reads a lane that does not take part. `others`: these lanes
  divergent_barrier,  // `lanes` arrive at a barrier of the block, and `others` of the warp wait at another instruction
  skipped_barrier,    // `lanes` wait at a barrier of the block, and `others` ended at `pc_of_others` instead
  // as before, but `others` are of the same warp, and the way on which they ended began at `pc_of_others`
  left_barrier,
};
struct misuse {
  misuse_kind kind = misuse_kind::mask_without_caller;
  std::uint64_t pc = 0;
  std::uint32_t warp = 0, lanes = 0, others = 0;
  std::uint32_t warp_of_others = 0;
  std::uint32_t mask = 0;          // the mask that the program passed, or 0
  std::uint64_t pc_of_others = 0;  // where `others` are; 0 if unknown
  bool by_index = false;           // for a shuffle: whether it names the lane that it reads
};

// Operations that order the accesses of a block.
enum class order_kind : std::uint8_t {
  meet,     // `lanes` from several paths of a warp waited for each other
  arrive,   // `lanes` arrive at block barrier `number`
  leave,    // `lanes` waited at block barrier `number`, and continue
  open,     // all threads have left block barrier `number`, which can be used again
  ended,    // `lanes` have ended
  release,  // the results of `lanes` become visible to an acquire at the mbarrier at shared address `number`
  acquire,
  poll,           // the mbarrier at shared address `number` is tested by plain loads of its upper word
  make,           // an mbarrier of 8 bytes is initialised at shared address `number`
  write,          // a bulk copy, which is asynchronous, writes `bytes` to shared address `number`
  read,           // a bulk copy reads `bytes` from shared address `number`
  foreign_write,  // `bytes` at shared address `number` were written by another block of the cluster
  complete,       // the bulk copy that wrote before becomes visible to an acquire at the mbarrier `number`
  // The kinds below are only reported for launches with launch::tells_all_order.
  sync,           // `lanes` of a warp waited for each other: __syncwarp(), a shuffle, a vote
  commit,         // `lanes` end a group of asynchronous copies
  wait,           // `lanes` waited until at most `number` of their groups are not complete
  arrive_copies,  // `lanes` arrive at an mbarrier when their copies are complete
  fence,          // a memory fence of the scope `number`: 0 is the block, 2 the GPU, 3 the system
  forget_l1,      // L1 forgets its lines: `lanes` see the writes that they know of. The end of an acquire
  fence_async,    // a fence between accesses of threads and bulk copies, or products of a warp group
  product_read,   // a product of a warp group, which is asynchronous, reads `bytes` from shared address `number`
  product_end,    // the product before it was the last of its group
  product_wait,   // `lanes` waited until at most `number` groups of products are not complete
  remote_read,    // `lanes` read `bytes` at shared address `number` of block `rank` of the cluster
  remote_write,
  remote_update,  // an atomic
  end,
};
struct ordering {
  order_kind kind = order_kind::meet;
  std::uint32_t warp = 0, lanes = 0;
  std::uint32_t number = 0, bytes = 0;
  // for bulk copies, products, remote accesses and instructions on mbarriers: device address of the instruction
  std::uint64_t pc = 0;
  // for arrive, leave and open: whether the barrier waits for all threads of the block, so that it does not wait for
  // threads that have ended
  bool of_all = false;
  std::uint32_t rank = 0;  // for remote accesses
};
// The number of the barrier of a cluster in `release` and `acquire`.
inline constexpr std::uint32_t cluster_barrier = ~0U;

// The kinds of events that a listener receives. listener::wants() returns these kinds, and is called once before the
// first event.
struct wanted_events {
  bool accesses = true;       // on_access, on_swap
  bool asynchronous = true;   // on_async
  bool order = false;         // on_order; events of on_access then also have the members that show the order
  bool instructions = false;  // on_instructions, on_sleep
  bool block_ends = false;    // on_block_end, on_alike
  bool global = false;        // on_global, on_texture
  bool copied = false;        // on_copied
  bool misuses = false;       // on_misuse
  // on_warp (called before the events of a warp); only for listeners of block_recorders, and for launches whose `use` is
  // instruction_use::interpret
  bool warps = false;
  // If not 0, the listener accepts on_repeats instead of on_access for some loads and stores of all 32 lanes. These
  // accesses repeat an earlier access of the same instruction. Each lane's address is its earlier address plus a
  // multiple of this number of bytes.
  std::uint32_t repeats = 0;
};

// Each listener is called from one thread at a time. Blocks are reported in any order. The events between two calls of
// on_block belong to one block. If blocks wait for each other and take turns, on_block is called more than once for a
// block.
class listener {
 public:
  virtual ~listener() = default;
  virtual wanted_events wants() const { return {}; }
  virtual void on_block(std::uint64_t block) = 0;
  // The block of the last on_block has ended. This block represents `times` blocks that behave alike, including itself.
  // For a cluster, this function is called once.
  virtual void on_block_end(std::uint64_t times) { static_cast<void>(times); }
  // Called before on_block_end if the block represents a box of blocks. `blocks`: the size of the box on each axis. The
  // first block of the box is the block that ended.
  virtual void on_alike(const std::array<std::uint32_t, 3>& blocks) { static_cast<void>(blocks); }
  virtual void on_access(const shared_access&) {}
  // Since the last report, the block repeated this access `times` times. Each repetition was shifted by some bytes.
  virtual void on_repeats(const shared_access&, std::uint64_t times) { static_cast<void>(times); }
  virtual void on_async(const async_event&) {}
  virtual void on_global(const global_access_event&) {}
  virtual void on_texture(const texture_access_event&) {}
  virtual void on_copied(const copied_bytes&) {}
  // Called after on_access() of a compare-and-swap. Reports the lanes that stored.
  virtual void on_swap(const shared_access&, std::uint32_t) {}
  virtual void on_order(const ordering&) {}
  virtual void on_misuse(const misuse&) {}
  // `lanes` of a warp executed `count` consecutive instructions together, starting at `pc`.
  virtual void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) {
    static_cast<void>(pc), static_cast<void>(count), static_cast<void>(lanes);
  }
  // A warp sleeps with the instruction at `pc`. Belongs to on_instructions.
  virtual void on_sleep(std::uint64_t pc, std::uint32_t nanoseconds) {
    static_cast<void>(pc), static_cast<void>(nanoseconds);
  }
  // The events until the next call are from this warp of the block.
  virtual void on_warp(std::uint32_t warp) { static_cast<void>(warp); }
  // Called for listeners of block_recorders, each time all warps of the block have had a turn. If the function returns
  // true, the listener receives no more events.
  virtual bool has_enough_of_block() const { return false; }
};

}  // namespace bankwise::emulate
