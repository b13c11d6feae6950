// The lines and sectors that a warp's access to global memory requests from the caches, computed from its addresses. L1
// looks up lines of 128 bytes. If L1 does not contain the data, L2 delivers them in sectors of 32 bytes.
//
//     x[t]           of floats, 128 bytes in a row, aligned        1 line    4 sectors    ideal 4
//     x[t + 1]       the same, 4 bytes later                       2 lines   5 sectors    ideal 4
//     x[2 * t]       every second float                            2 lines   8 sectors    ideal 4
//     x[32 * t]      a column of rows of 32 floats                32 lines  32 sectors    ideal 4
//     x[0]           one float for all lanes                       1 line    1 sector     ideal 1
//
// The numbers are those of Nsight Compute's source page: memory_l1_tag_requests_global,
// memory_l2_theoretical_sectors_global, and memory_l2_theoretical_sectors_global_ideal. They equal the numbers of the
// page for all accesses of data/sm_90/global_patterns.csv.zst. For loads, stores and cp.async, the sectors also equal
// the hardware counters l1tex__t_sectors_pipe_lsu_mem_global_op_ld, _st and _ldgsts_cache_access. For atomics whose
// lanes access the same word, the hardware counters are higher.
//
// cp.async.cg copies pieces of 16 bytes from L2. The two pieces of a sector move together if they go to the same sector
// of shared memory, either in order or swapped.
#pragma once

#include "bankwise/cp_async_cg.hpp"
#include "bankwise/lanes.hpp"

namespace bankwise {

// One warp instruction on global memory: a load, store, atomic, reduction or cp.async.
struct global_access {
  u32 mask = 0;          // active lanes
  u32 width_bytes = 4;   // bytes for each lane: 1, 2, 4, 8, 16 or 32; each address must be a multiple of this width
  bool past_l1 = false;  // true for cp.async.cg
  unsigned long long addresses[lanes_per_warp] = {};  // byte address of each lane
  // For past_l1: the byte address in shared memory to which each lane copies.
  u32 to[lanes_per_warp] = {};
};

// The cost of an access: numbers of sectors, of lines, and of requested bytes. A byte that several lanes request counts
// several times.
struct global_cost {
  u32 sectors = 0;
  u32 sectors_ideal = 0;  // number of sectors that the requested bytes would fill, at most `sectors`
  u32 tag_requests = 0;   // number of lines that L1 looks up for the access
  u32 bytes = 0;
};

namespace detail {

// Whether lanes i and j access the same block of `block_bytes` bytes.
BANKWISE_HD constexpr bool same_block(const global_access& a, u32 i, u32 j, u32 block_bytes) {
  if (a.addresses[i] / block_bytes != a.addresses[j] / block_bytes) return false;
  if (!a.past_l1 || block_bytes != sector_bytes) return true;
  const auto swaps = [&a](u32 lane) { return (a.addresses[lane] / piece_bytes + a.to[lane] / piece_bytes) % 2; };
  return a.to[i] / sector_bytes == a.to[j] / sector_bytes && swaps(i) == swaps(j);
}

BANKWISE_HD constexpr u32 distinct_blocks(const global_access& a, u32 block_bytes) {
  u32 count = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (!has_lane(a.mask, i)) continue;
    bool is_first = true;
    for (u32 j = 0; j < i && is_first; ++j) is_first = !has_lane(a.mask, j) || !same_block(a, i, j, block_bytes);
    count += is_first;
  }
  return count;
}

}  // namespace detail

// Returns the cost of an access. If no lane is active, the result is all zeros.
BANKWISE_HD constexpr global_cost cost_of(const global_access& a) {
  u32 lanes = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) lanes += has_lane(a.mask, i);
  global_cost c;
  c.bytes = lanes * a.width_bytes;
  c.tag_requests = detail::distinct_blocks(a, line_bytes);
  c.sectors = detail::distinct_blocks(a, sector_bytes);
  c.sectors_ideal = (c.bytes + sector_bytes - 1) / sector_bytes;
  if (c.sectors_ideal > c.sectors) c.sectors_ideal = c.sectors;
  return c;
}

}  // namespace bankwise
