// A running thread block: its warps, its shared memory, the barriers of its threads, and its cluster.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulate/block/warp.hpp"
#include "emulate/memory/tensor_memory.hpp"
#include "model/parts/whole_counts.hpp"
#include "sass/modifiers.hpp"

namespace bankwise::emulate {

struct block_barrier {
  // number of threads that the barrier waits for; 0 means all threads of the block
  std::uint32_t expected = 0;
  std::vector<std::uint32_t> arrived;   // for each warp, the lanes that arrived; empty if no lane arrived
  std::uint32_t again = 0;              // number of threads in earlier arrivals, if a warp arrived more than once
  std::uint32_t whole_warps = 0;        // all lanes of the warps before this number have arrived
  std::uint32_t true_count = 0;         // for BAR.RED: number of threads that arrived with a true predicate
  std::uint32_t predicates = 0;         // for BAR.RED: number of threads that arrived with a predicate
  sass::barrier_reduction reduction{};  // for BAR.RED: how the predicates are combined
};

// The blocks of a cluster, which run together. A shared address consists of a rank in the cluster and an offset. A
// block's address of its own shared memory contains the block's own rank:
//
//     31 ... 24   23 ... 0
//     rank        offset
struct cluster_state {
  std::vector<struct block_state*> blocks;
  unsigned waiting = 0;  // number of paths that wait at the barrier of the cluster
  // Cancels a cluster that has not begun, and returns the cluster's number. Returns nothing if there is no such
  // cluster. The function object is empty if clusters cannot be cancelled.
  std::function<std::optional<std::uint64_t>()> cancel;
};
inline constexpr unsigned rank_shift = 24;
inline constexpr std::uint32_t offset_mask = (1u << rank_shift) - 1;

struct printed_text {
  std::string text;
  bool is_error = false;
};

struct block_state {
  std::array<std::uint32_t, 3> index{};
  std::uint64_t linear = 0;
  std::uint64_t order = 0;  // position of the block in the order in which blocks begin
  whole_counts sum;
  std::uint64_t random = 0;  // state of the random numbers that order the block's warps; 0 for the usual order
  bool has_waited = false;   // whether the block has waited for other blocks
  cluster_state* cluster = nullptr;
  std::uint32_t rank = 0;
  bool ended = false;
  std::vector<printed_text> printed;
  std::size_t printed_bytes = 0;
  std::vector<warp> warps;
  std::vector<std::byte> shared;
  std::array<block_barrier, block_barriers> barriers{};
  std::uint32_t free_registers = 0;          // of a lane, that warps have released. A warp that ends releases none
  tensor_memory tensors;                     // tensor memory of the multiprocessor; no other block uses this memory
  class listener* recorder = nullptr;        // records this block; null if the block is not recorded, or no longer
  std::shared_ptr<class block_clock> clock;  // null if clock registers count instructions

  // Counts instructions that the lanes of a warp in the mask `lanes` executed together.
  void count(std::uint64_t instructions, std::uint32_t lanes) {
    sum.warp_instructions += instructions;
    sum.active_lanes += instructions * static_cast<unsigned>(std::popcount(lanes));
  }
};

}  // namespace bankwise::emulate
