// The cost in shared memory of the instructions in asynchronous.hpp.
//
//     wgmma.m64n96k16 of halves, with both operands in shared memory:
//
//       A   64 rows of 32 bytes     2,048 bytes    16 wavefronts     128 bytes each, for every layout type, stride
//       B   96 rows of 32 bytes     3,072 bytes    24 wavefronts     and start address: there are no conflicts
//                                                  40 wavefronts
//       the tensor cores            96 / 2         48 clocks         the result is the longer time: 48 clocks
//
// The rule was measured on an H100 (sm_90). It gives the numbers of the hardware counters in every row of
// data/sm_90/asynchronous.csv.zst, the numbers of Nsight Compute in every row of wgmma.csv, and the clocks in
// wgmma_clocks.csv.
//   1. wgmma: the number of wavefronts is the number of bytes of the operands in shared memory divided by 128. A has 64
//      rows, and B has N rows. A row has 32 bytes. If A is sparse, a row of B has 64 bytes, and A stores only half of
//      the numbers of a row.
//   2. Copies (cp.async.bulk, cp.async.bulk.tensor, reductions) take no wavefronts, and access a bank once for each 4
//      bytes. There are no conflicts for any size, box, element type or swizzle.
//   3. mbarriers: init takes one wavefront. All other operations take no wavefronts.
//   4. Accesses to the shared memory of another block: loads and stores take no wavefronts in either block. st.async
//      and atomics take one wavefront, and a compare-and-swap takes two wavefronts. These numbers are the same for all
//      addresses. If a block accesses its own shared memory with an instruction for clusters, the cost is that of the
//      same instruction without a cluster.
//   5. The end of a warp takes one wavefront.
//   6. tcgen05.mma and tcgen05.cp (not measured) take no wavefronts of the load/store unit. Their numbers of bytes are
//      exact, and shared memory delivers 128 bytes per clock. The clocks of the tensor cores are nominal. In one clock,
//      the tensor cores of a multiprocessor compute two columns of 128 lanes, for every type. For 16-bit numbers, these
//      are 8,192 multiplications and additions per clock.
//
// Nsight Compute's source page shows the wavefronts of wgmma. It shows no wavefronts for the other operations in this
// list.
#pragma once

#include "bankwise/asynchronous.hpp"

namespace bankwise {

// The hardware counter that counts the wavefronts of an operation. Each value is the end of a counter's name:
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_...
enum class async_counter : u8 { none, gmma, misc, atom };

// The cost of one execution. For wgmma, it is the cost of the whole warp group of four warps.
struct async_cost {
  u32 wavefronts;         // wavefronts of the shared pipe
  async_counter counter;  // the hardware counter of these wavefronts
  u32 page_wavefronts;    // wavefronts that Nsight Compute's source page shows for the instruction
  // 4-byte accesses of wgmma and of copies to banks. For other operations, the number is unknown, and 0 here.
  u64 bank_reads;
  u64 bank_writes;
  u32 tensor_cycles;  // clocks for which the tensor cores of a multiprocessor are busy
  // Clocks until the next operation of this kind can start: the larger of wavefronts and tensor_cycles.
  u32 cycles;
};

// A wavefront of wgmma reads every bank once.
inline constexpr u32 wavefront_bytes = 128;

// Returns the cost of one execution.
BANKWISE_HD constexpr async_cost analyze(const async_operation& o) {
  async_cost c = {0, async_counter::none, 0, 0, 0, 0, 0};
  switch (o.kind) {
    case async_kind::wgmma: {
      const u32 bytes = (o.a_in_shared ? wgmma_rows * wgmma_row_bytes : 0) + o.columns * o.k_bytes;
      c.wavefronts = (bytes + wavefront_bytes - 1) / wavefront_bytes;
      c.counter = async_counter::gmma;
      c.page_wavefronts = c.wavefronts;
      c.bank_reads = bytes / 4;
      // For each column of B, 32 bytes of each row of A keep the tensor cores busy for half a clock.
      c.tensor_cycles = o.columns / 2;
      break;
    }
    case async_kind::bulk_copy:
    case async_kind::tensor_copy: (o.to_shared ? c.bank_writes : c.bank_reads) = o.bytes / 4; break;
    case async_kind::tensor_product:
    case async_kind::tensor_fill:
      c.bank_reads = o.bytes / 4;
      c.tensor_cycles = o.columns / 2;
      break;
    case async_kind::barrier_init:
    case async_kind::remote_store_async:
    case async_kind::warp_end:
      c.wavefronts = 1;
      c.counter = async_counter::misc;
      break;
    case async_kind::remote_atomic:
    case async_kind::remote_compare_and_swap:
      c.wavefronts = o.kind == async_kind::remote_atomic ? 1 : 2;
      c.counter = async_counter::atom;
      break;
    case async_kind::none:
    case async_kind::barrier:
    case async_kind::remote_load:
    case async_kind::remote_store: break;
  }
  c.cycles = c.wavefronts > c.tensor_cycles ? c.wavefronts : c.tensor_cycles;
  // Shared memory delivers 128 bytes per clock, also to the tensor cores.
  const u64 moves = o.kind == async_kind::tensor_product ? (o.bytes + wavefront_bytes - 1) / wavefront_bytes : 0;
  if (moves > c.cycles) c.cycles = static_cast<u32>(moves);
  return c;
}

}  // namespace bankwise
